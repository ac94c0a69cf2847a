// What came of a task in the background, in words for the agent that gave it.
import type { TaskResult } from '../../agent/task-result.ts';
import { textOf } from '../../messages/message.ts';
import type { BackgroundTask } from '../../storage/background-tasks.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';

/** Of a task whose run has ended, or that has none. */
export async function taskOutcome(
  states: ThreadStates,
  repositories: Repositories,
  task: BackgroundTask,
): Promise<TaskResult> {
  const { taskId, description } = task;
  const run = task.runId === null ? undefined : await repositories.runs.get(task.runId);
  const text = run?.status === 'success' ? await lastAnswer(states, repositories, task.threadId) : '';
  if (text !== '') return { taskId, description, status: 'completed', text };
  return { taskId, description, status: 'failed', text: problemOf(run) };
}

function problemOf(run: RunRecord | undefined): string {
  if (run === undefined) return 'It could not be begun, or its run was deleted.';
  if (run.stopReason === 'awaiting_input')
    return 'It stopped because it had to ask the person something, which it cannot do in the background. Do that part yourself.';
  if (run.status === 'interrupted') return 'It was cancelled.';
  return run.error ?? 'It ended without an answer.';
}

async function lastAnswer(
  states: ThreadStates,
  { threads, checkpoints }: Repositories,
  threadId: string,
): Promise<string> {
  const head = (await threads.get(threadId))?.headCheckpointId ?? null;
  const at = head === null ? undefined : await states.at(checkpoints, threadId, head);
  const last = at?.state.messages.findLast(({ type }) => type === 'ai');
  return last === undefined ? '' : textOf(last.content).trim();
}
