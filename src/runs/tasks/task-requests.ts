// What is asked of the runs that a task in the background consists of: the work itself, and the run that tells of its end.
import type { RunOptions } from '../../agent/agent.ts';
import { type TaskResult, taskResultMessage } from '../../agent/task-result.ts';
import { humanMessage } from '../../messages/message.ts';
import type { BackgroundTask } from '../../storage/background-tasks.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { RunRequest } from '../request/run-request.ts';
import { fromKwargs } from '../request/stored-request.ts';

/** No header holds a line break, so that these are nobody's keys of runs. */
const WORK = 'task\n';
const REPORT = 'task-result\n';

/** With the agent, the model and the choices of the run that gave it. */
export function workRequest(task: BackgroundTask, parent: RunRecord, newId: () => string): RunRequest {
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

/** Behind whatever goes on on the thread. */
export function reportRequest(result: TaskResult, parent: RunRecord, newId: () => string): RunRequest {
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
    ...(agent === undefined ? {} : { agent }),
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
