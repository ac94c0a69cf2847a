// Threads whose rows are gone and whose files are still to be removed: the note that a deletion leaves for whoever
// finishes it.

/** A removal that somebody has taken on until `takenUntil` (epoch milliseconds). */
export interface ThreadRemoval {
  readonly threadId: string;
  /** Whose thread it was. */
  readonly userId: string | null;
  readonly takenUntil: number;
}

/** What a page of rows took with it. */
export interface RemovedRows {
  readonly runIds: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** Of all owners, for the service itself. */
export interface ThreadRemovals {
  /** Takes up to `limit` removals on until `takenUntil` that nobody has taken on beyond `now`, oldest first. */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly ThreadRemoval[]>;
  /**
   * Removes the rows of the thread, but the checkpoints that a copy sees. Each page is a transaction of its own with a bounded
   * number of rows; after it the removal is taken on until `takenUntil()`, as the yielded one says. Left at any page, it
   * goes on where it was with the next call. Throws `conflict` when somebody else has taken the removal on since.
   */
  removeRows(
    removal: ThreadRemoval,
    takenUntil: () => number,
  ): AsyncGenerator<RemovedRows & { readonly removal: ThreadRemoval }>;
  /** Rows and files are gone, and the id of the thread is free again. Does nothing when somebody else has taken it on since. */
  done(removal: ThreadRemoval): Promise<void>;
}
