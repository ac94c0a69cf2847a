// Projections: data stored beside the record for quick reading, which must agree with the record.

/** A stored value that differs from what the record folds to. */
export interface Difference {
  readonly projection: string;
  /** `null` when it concerns no single thread. */
  readonly threadId: string | null;
  readonly runId: string | null;
  /** Names the value. */
  readonly what: string;
  readonly stored: string;
  readonly folded: string;
  readonly isMended: boolean;
}

export interface VerifyOptions {
  /**
   * True to write what the record folds to, in the transaction that compared it. The search index is repaired
   * after it.
   */
  readonly repair: boolean;
  /**
   * Applies to threads with active runs and to locked threads. `skip` while a service works on the database.
   */
  readonly busyThreads: 'verify' | 'skip';
}

export type ThreadVerdict =
  | { readonly kind: 'verified'; readonly differences: readonly Difference[] }
  | { readonly kind: 'busy' }
  | { readonly kind: 'gone' };

/** Projections of all owners, for the command line. */
export interface Projections {
  readonly names: readonly string[];
  /** Returns thread ids in order, starting after `after`. */
  threadIds(after: string | null, limit: number): Promise<readonly string[]>;
  /** Verifies all projections of one thread. */
  verifyThread(threadId: string, options: VerifyOptions): Promise<ThreadVerdict>;
  /**
   * Verifies what belongs to no single thread: leftovers of threads that are gone, and sums over all threads.
   */
  verifyRest(options: Pick<VerifyOptions, 'repair'>): AsyncIterable<Difference>;
}
