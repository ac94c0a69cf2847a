// Tasks that an agent gave to a sub-agent and that continue after its reply. Each has a row, written with the
// call's result.
import type { DueClaim } from './due-claim.ts';
import type { RunStatus } from './runs.ts';

/**
 * `running`: its run exists, and its result is not reported yet. `cancelled`: a person cancelled it; nothing
 * is reported. `orphaned`: the thread to which it would report is deleted.
 */
type BackgroundTaskState = 'waiting' | 'running' | 'reported' | 'cancelled' | 'orphaned';

/** What the tool call asks for. */
export interface NewBackgroundTask {
  readonly taskId: string;
  /** The thread on which the task works. No list of threads shows it. */
  readonly threadId: string;
  readonly callId: string;
  /** The kind of sub-agent. */
  readonly subagent: string;
  readonly description: string;
  readonly prompt: string;
}

export interface BackgroundTask extends NewBackgroundTask {
  readonly userId: string;
  readonly parentThreadId: string;
  readonly parentRunId: string;
  readonly state: BackgroundTaskState;
  /** `null` until the task has a run. */
  readonly runId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ListedBackgroundTask extends BackgroundTask {
  /** `null` when there is no such run. */
  readonly runStatus: RunStatus | null;
}

/** Background tasks of one owner. */
export interface BackgroundTaskRepository {
  /** Returns the tasks that a thread has started, newest first. */
  list(
    parentThreadId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<readonly ListedBackgroundTask[]>;
  /** Returns the ids of a thread's tasks whose results are not reported yet. */
  openIds(parentThreadId: string): Promise<readonly string[]>;
  /**
   * Cancels the task. Idempotent: an ended task stays as it is. Returns `undefined` when the thread has no
   * such task.
   */
  cancel(parentThreadId: string, taskId: string, now: number): Promise<ListedBackgroundTask | undefined>;
}

/** Background tasks of all owners, for the service itself. Times are epoch milliseconds. */
export interface BackgroundTasks {
  /** Returns whether any task still needs work, now or later. */
  areOpen(): Promise<boolean>;
  /**
   * Claims unclaimed tasks that need work, until `leaseUntil`. They wait for a run, were cancelled or
   * orphaned, or their run has ended while the parent thread is neither busy nor waits for an answer to an
   * interrupt.
   */
  claim(claim: DueClaim): Promise<readonly BackgroundTask[]>;
  /**
   * Records the run of the task; `null` when it will have none. Changes nothing when the task's state has
   * changed since the claim.
   */
  begun(task: BackgroundTask, runId: string | null, now: number): Promise<void>;
  /**
   * Records that the task needs no more work. Changes nothing when the task's state has changed since the
   * claim.
   */
  settle(task: BackgroundTask, state: 'reported' | 'cancelled', now: number): Promise<void>;
  /** Releases the claim. The task is due again at `dueAt`. */
  giveBack(task: BackgroundTask, dueAt: number): Promise<void>;
  /** Removes a task that has no thread to report to. */
  remove(task: BackgroundTask): Promise<void>;
  /** Returns the tasks that a deleted thread has left. */
  orphansOf(parentThreadId: string): Promise<readonly BackgroundTask[]>;
  /** Releases all claims. For a process that is alone on the database. */
  freeAll(): Promise<void>;
}
