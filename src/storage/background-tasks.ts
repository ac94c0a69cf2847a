// Tasks that an agent gave to a sub-agent and that go on behind its answer: a row for each, written with the call's result.
import type { RunStatus } from './runs.ts';

/**
 * `running`: its run is made, and its result is not reported yet. `cancelled`: by a person; nothing is reported.
 * `orphaned`: the thread that would hear of it is deleted.
 */
export type BackgroundTaskState = 'waiting' | 'running' | 'reported' | 'cancelled' | 'orphaned';

/** What the call asks for. */
export interface NewBackgroundTask {
  readonly taskId: string;
  /** The thread that it works on, which no list of threads shows. */
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
  /** `null` until it has one. */
  readonly runId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ListedBackgroundTask extends BackgroundTask {
  /** `null`: there is no such run. */
  readonly runStatus: RunStatus | null;
}

/** Of one owner. */
export interface BackgroundTaskRepository {
  /** Those that a thread has begun, newest first. */
  list(
    parentThreadId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<readonly ListedBackgroundTask[]>;
  /** The ids of a thread's tasks whose results are not reported yet. */
  openIds(parentThreadId: string): Promise<readonly string[]>;
  /** Idempotent: one that has ended stays as it is. `undefined` when the thread has no such task. */
  cancel(parentThreadId: string, taskId: string, now: number): Promise<ListedBackgroundTask | undefined>;
}

/** Of all owners, for the service itself. Times are epoch milliseconds. */
export interface BackgroundTasks {
  /** Whether there is one with which anything is still to be done, now or later. */
  areOpen(): Promise<boolean>;
  /**
   * Those with which something is to be done and that nobody is at: they wait for a run, or are over before their time, or
   * their run has ended while their thread is neither busy nor asks the person. Whoever gets them has them until `leaseUntil`.
   */
  claim(claim: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
  }): Promise<readonly BackgroundTask[]>;
  /** The task has its run; `null`: it will have none. Does nothing when the task is not what it was any more. */
  begun(task: BackgroundTask, runId: string | null, now: number): Promise<void>;
  /** Nothing is left to do with it. Does nothing when the task is not what it was any more. */
  settle(task: BackgroundTask, state: 'reported' | 'cancelled', now: number): Promise<void>;
  /** Somebody may take it up from `dueAt` on. */
  giveBack(task: BackgroundTask, dueAt: number): Promise<void>;
  /** Of a task without a thread that could hear of it. */
  remove(task: BackgroundTask): Promise<void>;
  /** Those that a deleted thread has left. */
  orphansOf(parentThreadId: string): Promise<readonly BackgroundTask[]>;
  /** Nobody is at anything: called by a process that alone works on the database. */
  freeAll(): Promise<void>;
}
