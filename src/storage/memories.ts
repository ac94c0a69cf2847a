// What the agents of a person remember: one row for each agent, and the words of people that are still to be read for
// facts.

/** Where a fact comes from: words of the person on a thread, the person's own hand, or a file that was brought in. */
export type FactSource =
  | { readonly kind: 'thread'; readonly threadId: string; readonly messageId: string }
  | { readonly kind: 'manual' }
  | { readonly kind: 'import' };

export interface MemoryFact {
  readonly id: string;
  /** One line. */
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
  /** As they were before the last change; `null` when it cannot be undone. */
  readonly previous: readonly MemoryFact[] | null;
}

export interface MemoryChange extends Pick<MemoryRecord, 'agent' | 'facts' | 'previous'> {
  /** The revision that was changed; 0: there was no row. */
  readonly from: number;
}

/** Of one owner. */
export interface MemoryRepository {
  get(agent: string): Promise<MemoryRecord | undefined>;
  /** All of them, by agent. */
  list(): Promise<readonly MemoryRecord[]>;
  /**
   * `stale`: it has changed since. `no_account`: the account was deleted. `too_many`: the owner has `mostAgents` of them
   * already.
   */
  save(
    change: MemoryChange,
    limits: { readonly mostAgents: number; readonly now: number },
  ): Promise<'saved' | 'stale' | 'no_account' | 'too_many'>;
  /** Whether the owner has switched memory off. */
  isOff(): Promise<boolean>;
  switch(isOff: boolean): Promise<'switched' | 'no_account'>;
}

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

/** A row for each thread with words that are not read yet. Of all owners, for the service itself. Times are epoch milliseconds. */
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
