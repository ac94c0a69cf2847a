// What the agents of a person remember: one row per agent, and the messages from which facts are still to be
// extracted.
import type { DueClaim } from './due-claim.ts';

/** Where a fact comes from: a person's message on a thread, an entry by hand, or an imported file. */
export type FactSource =
  | { readonly kind: 'thread'; readonly threadId: string; readonly messageId: string }
  | { readonly kind: 'manual' }
  | { readonly kind: 'import' };

export interface MemoryFact {
  readonly id: string;
  /** A single line of text. */
  readonly content: string;
  readonly category: string;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly source: FactSource;
}

export interface MemoryRecord {
  readonly agent: string;
  /** Grows by one with every change. */
  readonly revision: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  readonly facts: readonly MemoryFact[];
  /** The facts before the last change; `null` when it cannot be undone. */
  readonly previous: readonly MemoryFact[] | null;
}

export interface MemoryChange extends Pick<MemoryRecord, 'agent' | 'facts' | 'previous'> {
  /** The revision on which the change is based; 0 when there was no row. */
  readonly from: number;
}

/** Memories of one owner. */
export interface MemoryRepository {
  get(agent: string): Promise<MemoryRecord | undefined>;
  /** Returns all memories, sorted by agent. */
  list(): Promise<readonly MemoryRecord[]>;
  /**
   * Saves the change. `stale`: the memory has changed since. `no_account`: the account was deleted.
   * `too_many`: the owner already has memories of `mostAgents` agents.
   */
  save(
    change: MemoryChange,
    limits: { readonly mostAgents: number; readonly now: number },
  ): Promise<'saved' | 'stale' | 'no_account' | 'too_many'>;
  /** Returns whether the owner has switched memory off. */
  isOff(): Promise<boolean>;
  switch(isOff: boolean): Promise<'switched' | 'no_account'>;
}

export interface MemoryJob {
  readonly threadId: string;
  readonly agent: string;
  readonly userId: string;
  /** The last run, to which the cost is charged. */
  readonly runId: string;
  /** Ids of the messages, in order. */
  readonly questions: readonly string[];
  /** Counts from 1. */
  readonly attempt: number;
}

export interface NewMemoryJob extends Pick<MemoryJob, 'threadId' | 'agent' | 'userId' | 'runId'> {
  /** The id of the message. */
  readonly question: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/**
 * One row per thread and agent with messages that are not processed yet. Of all owners, for the service
 * itself. Times are epoch milliseconds.
 */
export interface MemoryJobs {
  /**
   * Adds a message. It moves the due time to `dueAt`, unless many messages wait already. Does nothing when
   * the thread is gone, or its owner has switched memory off.
   */
  add(job: NewMemoryJob): Promise<void>;
  /** Claims due jobs that are not claimed, until `leaseUntil`. */
  claim(claim: DueClaim): Promise<readonly MemoryJob[]>;
  /** Returns when the next job is due, or when the claim of one expires; `undefined` when there is no job. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Removes the processed messages from the job and saves the resulting change, in one transaction. A change
   * that `save` would refuse as `too_many` or `no_account` is dropped. Messages added since the claim stay
   * until they are due. `stale`: the memory has changed since, and nothing was done. `lost`: another process
   * has claimed the job, or the thread is gone.
   */
  finish(
    job: MemoryJob,
    change: MemoryChange | undefined,
    limits: { readonly mostAgents: number; readonly now: number },
  ): Promise<'done' | 'stale' | 'lost'>;
  /** Releases the job, which is due again at `dueAt`. `spent`: the attempt counts. */
  giveBack(job: MemoryJob, dueAt: number, options: { readonly spent: boolean }): Promise<void>;
  /** Releases all claims. For a process that is alone on the database. */
  freeAll(): Promise<void>;
}
