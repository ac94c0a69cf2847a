// Words of people on threads that are still to be read for facts: a row for each thread until that is done.
import type { MemoryChange } from './memories.ts';

export interface MemoryJob {
  readonly threadId: string;
  readonly agent: string;
  readonly userId: string;
  /** The last run, which pays for it. */
  readonly runId: string;
  /** Ids of the messages, in their order. */
  readonly questions: readonly string[];
  /** Counted from 1. */
  readonly attempt: number;
}

export interface NewMemoryJob extends Pick<MemoryJob, 'threadId' | 'agent' | 'userId' | 'runId'> {
  /** The id of the message. */
  readonly question: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** Of all owners, for the service itself. Times are epoch milliseconds. */
export interface MemoryJobs {
  /**
   * The thread is due when its last run says so, but for one that has waited for many. Does nothing for a thread that is gone,
   * or whose owner has switched memory off.
   */
  add(job: NewMemoryJob): Promise<void>;
  /** Due ones that nobody is at; whoever gets them has them until `leaseUntil`. */
  claim(claim: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly limit: number;
  }): Promise<readonly MemoryJob[]>;
  /** When the next one is due, or one that somebody is at is free again; `undefined`: there is none. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * What was read is done, and the change that came of it is made, both or neither. Messages that came meanwhile wait
   * for their time. `stale`: the memory has changed since; `lost`: somebody else is at it, or the thread is gone.
   */
  finish(
    job: MemoryJob,
    change: MemoryChange | undefined,
    limits: { readonly mostAgents: number; readonly now: number },
  ): Promise<'done' | 'stale' | 'lost'>;
  /** Somebody else may do it from then on; `spent`: the attempt counts. */
  giveBack(job: MemoryJob, dueAt: number, options: { readonly spent: boolean }): Promise<void>;
  /** Nobody is at anything: called by a process that alone works on the database. */
  freeAll(): Promise<void>;
}
