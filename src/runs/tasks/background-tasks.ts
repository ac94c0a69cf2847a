// Tasks that go on behind the answer of the agent that gave them: looked for, begun, told of, listed and cancelled.
import { notFound } from '../../errors.ts';
import type { BackgroundTask, ListedBackgroundTask } from '../../storage/background-tasks.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { JobTaker } from '../../upkeep/upkeep.ts';
import { isTaskRun } from '../request/stored-request.ts';
import { stepTask, type TaskStepParts } from './task-steps.ts';

export interface BackgroundTaskRuns {
  list(
    repositories: Repositories,
    threadId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<readonly ListedBackgroundTask[]>;
  /** Its run ends, and nothing is told of it. One that has ended stays as it is. Throws `not_found`. */
  cancel(repositories: Repositories, threadId: string, taskId: string): Promise<ListedBackgroundTask>;
  /** A task was begun: it is looked for at once. */
  wake(): void;
  /** Looks at once where a task may have waited for the end of this run. */
  ended(run: RunRecord): void;
  /** The same for whatever has happened on the thread, here or in another process. */
  threadChanged(threadId: string | undefined): void;
}

interface BackgroundTaskParts extends TaskStepParts {
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
}

const OPEN_EVERY_MS = 2_000;
/** Whoever begins a task here wakes the job; this finds those that other processes have left. */
const OTHERS_MS = 30_000;
/** A step is a few statements; one that takes longer may be made twice at once, which does nothing twice. */
const LEASE_MS = 10_000;
const AT_ONCE = 16;

/** Takes up what earlier processes left, and from the start of the upkeep on what other ones leave. */
export function createBackgroundTasks(parts: BackgroundTaskParts): BackgroundTaskRuns {
  const { tasks, exclusive, upkeep, log, now } = parts;
  const underWay = new Set<Promise<void>>();
  /** Threads of which a task is open that this process has begun. */
  const waitedFor = new Set<string>();

  const begin = (task: BackgroundTask): void => {
    if (task.state === 'waiting') waitedFor.add(task.parentThreadId);
    else waitedFor.delete(task.parentThreadId);
    const work = stepTask(parts, task)
      // The lease ends by itself.
      .catch((err: unknown) =>
        log.warn({ err, taskId: task.taskId }, 'a background task will be continued later'),
      )
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };
  const job = upkeep.add({
    name: 'background tasks',
    everyMs: OTHERS_MS,
    async pass({ isFirst }) {
      // What a process left that was killed waits for nobody.
      if (isFirst && exclusive) await tasks.freeAll();
      if (!(await tasks.areOpen())) return undefined;
      const limit = AT_ONCE - underWay.size;
      if (limit <= 0) return OPEN_EVERY_MS;
      const at = now();
      for (const task of await tasks.claim({ now: at, leaseUntil: at + LEASE_MS, limit })) begin(task);
      return OPEN_EVERY_MS;
    },
    last: () => Promise.all(underWay),
  });
  const wake = (): void => void job.wake();

  return {
    list: (repositories, threadId, page) => repositories.backgroundTasks.list(threadId, page),
    async cancel(repositories, threadId, taskId) {
      const task = await repositories.backgroundTasks.cancel(threadId, taskId, now());
      if (task === undefined) throw notFound('Task');
      wake();
      return task;
    },
    wake,
    ended(run) {
      if (isTaskRun(run) || waitedFor.has(run.threadId)) wake();
    },
    threadChanged(threadId) {
      if (threadId !== undefined && waitedFor.has(threadId)) wake();
    },
  };
}
