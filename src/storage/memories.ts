// What the agents of a person remember: one row for each agent, which holds its facts and those before the last change.

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
