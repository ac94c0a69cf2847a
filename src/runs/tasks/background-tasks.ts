// Background tasks: finds, starts, reports and cancels them.
import { notFound } from '../../errors.ts';
import type { BackgroundTask, ListedBackgroundTask } from '../../storage/background-tasks.ts';
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { JobTaker } from '../../upkeep/upkeep.ts';
import { isTaskRun } from '../request/run-request.ts';
import { stepTask, type TaskStepParts } from './task-steps.ts';

export type BackgroundTaskRuns = ReturnType<typeof createBackgroundTasks>;

interface BackgroundTaskParts extends TaskStepParts {
  /** True when this process alone uses the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
}

const OPEN_EVERY_MS = 2_000;
/** A process that starts a task wakes its own job. This interval finds tasks that other processes left. */
const OTHERS_MS = 30_000;
/** A step is a few statements. A longer one may run twice concurrently, which does nothing twice. */
const LEASE_MS = 10_000;
const AT_ONCE = 16;

/** Claims what earlier processes left, and once the upkeep has started, what other processes leave. */
export function createBackgroundTasks(parts: BackgroundTaskParts) {
  const { tasks, exclusive, upkeep, log, now } = parts;
  const underWay = new Set<Promise<void>>();
  /** The parent threads of the open tasks that this process began, by task. */
  const waitedFor = new Map<string, string>();

  const begin = (task: BackgroundTask): void => {
    if (task.state === 'waiting') waitedFor.set(task.taskId, task.parentThreadId);
    else waitedFor.delete(task.taskId);
    const work = stepTask(parts, task)
      // The lease expires without further action.
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
      // Tasks of a process that was killed need not wait for the end of their leases.
      if (isFirst && exclusive) await tasks.freeAll();
      if (!(await tasks.areOpen())) {
        // Another process may have reported some of them.
        waitedFor.clear();
        return undefined;
      }
      const limit = AT_ONCE - underWay.size;
      if (limit <= 0) return OPEN_EVERY_MS;
      const at = now();
      for (const task of await tasks.claim({ now: at, leaseUntil: at + LEASE_MS, limit })) begin(task);
      return OPEN_EVERY_MS;
    },
    last: () => Promise.all(underWay),
  });
  /** Checks immediately, because a task was started. */
  const wake = (): void => void job.wake();
  const isWaitedFor = (threadId: string): boolean => [...waitedFor.values()].includes(threadId);

  return {
    /** Ends its run and reports nothing. A task that has ended stays as it is. Throws `not_found`. */
    async cancel(
      repositories: Repositories,
      threadId: string,
      taskId: string,
    ): Promise<ListedBackgroundTask> {
      const task = await repositories.backgroundTasks.cancel(threadId, taskId, now());
      if (task === undefined) throw notFound('Task');
      wake();
      return task;
    },
    wake,
    /** Checks immediately if a task may have waited for the end of this run. */
    ended(run: RunRecord): void {
      if (isTaskRun(run) || isWaitedFor(run.threadId)) wake();
    },
    /** Does the same for any change of the thread, here or in another process. */
    threadChanged(threadId: string | undefined): void {
      if (threadId !== undefined && isWaitedFor(threadId)) wake();
    },
  };
}
