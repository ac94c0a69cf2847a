// The next step of a background task: starts its run, reports its result, or clears away what it left.
import type { RunOptions } from '../../agent/agent.ts';
import { type TaskResult, taskResultMessage } from '../../agent/task-result.ts';
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { humanMessage, textOf } from '../../messages/message.ts';
import type { BackgroundTask, BackgroundTasks } from '../../storage/background-tasks.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';
import { fromKwargs, type RunRequest } from '../request/run-request.ts';
import type { RunService } from '../service/run-service.ts';

export interface TaskStepParts {
  readonly tasks: BackgroundTasks;
  readonly repositoriesOf: (owner: string) => Repositories;
  readonly runs: Pick<RunService, 'start' | 'list' | 'cancelAll'>;
  readonly states: ThreadStates;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** After this time, a refused request is made again. */
const RETRY_MS = 5_000;
/** Errors that refuse a run now, but may not later. */
const PASSING: ReadonlySet<string> = new Set(['too_many_waiting', 'unavailable', 'conflict']);

/** Does one step. After a crash, a repetition does nothing twice. Throws what the database throws. */
export async function stepTask(parts: TaskStepParts, task: BackgroundTask): Promise<void> {
  switch (task.state) {
    case 'waiting':
      return begin(parts, task);
    case 'running':
      return report(parts, task);
    case 'cancelled':
      await parts.runs.cancelAll(parts.repositoriesOf(task.userId), task.threadId);
      return parts.tasks.settle(task, 'cancelled', parts.now());
    case 'orphaned':
      return clearAway(parts, task);
    case 'reported':
      return undefined;
    default:
      return task.state satisfies never;
  }
}

async function begin(parts: TaskStepParts, task: BackgroundTask): Promise<void> {
  const { tasks, runs, now, newId } = parts;
  const repositories = parts.repositoriesOf(task.userId);
  const parent = await repositories.runs.get(task.parentRunId);
  // A deleted parent run needs no result.
  if (parent === undefined) return tasks.settle(task, 'cancelled', now());
  const thread = { threadId: task.threadId, metadata: {}, assistantId: null, now: now() };
  await repositories.threads.create(thread);
  const [made] = await runs.list(repositories, task.threadId, { limit: 1, offset: 0 });
  const run =
    made ??
    (await accepted(parts, task, () =>
      runs.start(repositories, task.threadId, workRequest(task, parent, newId)),
    ));
  if (run === 'later') return tasks.giveBack(task, now() + RETRY_MS);
  return tasks.begun(task, run === 'never' ? null : run.runId, now());
}

async function report(parts: TaskStepParts, task: BackgroundTask): Promise<void> {
  const { tasks, states, runs, now, newId } = parts;
  const repositories = parts.repositoriesOf(task.userId);
  const thread = await repositories.threads.get(task.parentThreadId);
  const parent = await repositories.runs.get(task.parentRunId);
  if (thread === undefined || parent === undefined) return tasks.settle(task, 'cancelled', now());
  const result = await taskOutcome(states, repositories, task);
  const run = await accepted(parts, task, () =>
    runs.start(repositories, thread.threadId, reportRequest(result, parent, newId)),
  );
  if (run === 'later') return tasks.giveBack(task, now() + RETRY_MS);
  return tasks.settle(task, run === 'never' ? 'cancelled' : 'reported', now());
}

/** The files belong to the thread that is gone. This thread's rows go like those of any deleted thread. */
async function clearAway(
  { tasks, runs, repositoriesOf }: TaskStepParts,
  task: BackgroundTask,
): Promise<void> {
  const repositories = repositoriesOf(task.userId);
  do await runs.cancelAll(repositories, task.threadId);
  while ((await repositories.threads.delete(task.threadId)) === 'active');
  await tasks.remove(task);
}

async function accepted(
  { log }: TaskStepParts,
  { taskId }: BackgroundTask,
  start: () => Promise<RunRecord>,
): Promise<RunRecord | 'later' | 'never'> {
  try {
    return await start();
  } catch (err) {
    if (!(err instanceof ServiceError)) throw err;
    if (PASSING.has(err.code)) return 'later';
    log.warn({ err, taskId }, 'the run of a background task was refused');
    return 'never';
  }
}

/** Returns the result of a task whose run has ended, or that has none. */
async function taskOutcome(
  states: ThreadStates,
  repositories: Repositories,
  task: BackgroundTask,
): Promise<TaskResult> {
  const { taskId, description } = task;
  const run = task.runId === null ? undefined : await repositories.runs.get(task.runId);
  const text = run?.status === 'success' ? await lastReply(states, repositories, task.threadId) : '';
  if (text !== '') return { taskId, description, status: 'completed', text };
  return { taskId, description, status: 'failed', text: problemOf(run) };
}

function problemOf(run: RunRecord | undefined): string {
  if (run === undefined) return 'It could not be started, or its run was deleted.';
  if (run.stopReason === 'awaiting_input')
    return 'It stopped because it had to ask the person something, which it cannot do in the background. Do that part yourself.';
  if (run.status === 'interrupted') return 'It was cancelled.';
  return run.error ?? 'It ended without a reply.';
}

async function lastReply(
  states: ThreadStates,
  { threads, checkpoints }: Repositories,
  threadId: string,
): Promise<string> {
  const head = (await threads.get(threadId))?.headCheckpointId ?? null;
  const at = head === null ? undefined : await states.at(checkpoints, threadId, head);
  const last = at?.state.messages.findLast(({ type }) => type === 'ai');
  return last === undefined ? '' : textOf(last.content).trim();
}

/** No header can hold a line break, so no client's key of a run equals these. */
const WORK = 'task\n';
const REPORT = 'task-result\n';

/** Returns the request with the agent, the model and the choices of the run that gave the task. */
function workRequest(task: BackgroundTask, parent: RunRecord, newId: () => string): RunRequest {
  const asked = requestAs(parent);
  const { parentThreadId, subagent, prompt } = task;
  return {
    ...asked,
    task: { subagent, parentThreadId },
    messages: [humanMessage(newId(), prompt)],
    options: { ...asked.options, planMode: false },
    multitaskStrategy: 'reject',
    idempotencyKey: `${WORK}${task.taskId}`,
  };
}

/** Returns a request that queues behind the thread's other runs. */
function reportRequest(result: TaskResult, parent: RunRecord, newId: () => string): RunRequest {
  return {
    ...requestAs(parent),
    messages: [taskResultMessage(newId(), result)],
    multitaskStrategy: 'enqueue',
    idempotencyKey: `${REPORT}${result.taskId}`,
  };
}

type AsParent = Omit<RunRequest, 'messages' | 'multitaskStrategy' | 'idempotencyKey' | 'task'>;

function requestAs(parent: RunRecord): AsParent {
  const { agent, options } = fromKwargs(parent.kwargs);
  const uninterrupted: RunOptions = { ...options, interruptBefore: [], interruptAfter: [] };
  return {
    assistantId: parent.assistantId,
    agent,
    options: uninterrupted,
    chosen: {},
    modes: ['values'],
    subgraphs: false,
    metadata: {},
    onDisconnect: 'continue',
    createThread: false,
    deleteThread: false,
    followUpToRunId: undefined,
    checkpointId: undefined,
    restoreFiles: false,
    command: undefined,
    delayMs: 0,
    webhook: undefined,
  };
}
