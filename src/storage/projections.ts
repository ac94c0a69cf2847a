// What is stored beside the record so that it can be read quickly, and must say what the record says.

/** A stored value that is not what the record folds to. */
export interface Difference {
  readonly projection: string;
  /** `null`: it is about no single thread. */
  readonly threadId: string | null;
  readonly runId: string | null;
  /** Which value. */
  readonly what: string;
  readonly stored: string;
  readonly folded: string;
  readonly isMended: boolean;
}

export interface VerifyOptions {
  /** Writes what the record folds to, in the transaction that compared it. */
  readonly repair: boolean;
  /** Threads with active runs, and those that somebody holds: `skip` while a service works on the database. */
  readonly busyThreads: 'verify' | 'skip';
}

export type ThreadVerdict =
  | { readonly kind: 'verified'; readonly differences: readonly Difference[] }
  | { readonly kind: 'busy' }
  | { readonly kind: 'gone' };

/** Of all owners, for the command line. */
export interface Projections {
  readonly names: readonly string[];
  /** Ids of threads in their order, from the one after `after` on. */
  threadIds(after: string | null, limit: number): Promise<readonly string[]>;
  /** Everything that is kept beside the record of one thread. */
  verifyThread(threadId: string, options: VerifyOptions): Promise<ThreadVerdict>;
  /** What belongs to no single thread: leftovers of threads that are gone, and sums over all of them. */
  verifyRest(options: Pick<VerifyOptions, 'repair'>): AsyncIterable<Difference>;
}
