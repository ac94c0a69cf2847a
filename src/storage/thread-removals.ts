// Threads whose rows are gone and whose files are still to be removed: the note that a deletion leaves for whoever
// finishes it.

/** A removal that somebody has taken on until `takenUntil` (epoch milliseconds). */
export interface ThreadRemoval {
  readonly threadId: string;
  /** Whose thread it was. */
  readonly userId: string | null;
  readonly takenUntil: number;
}

/** Of all owners, for the service itself. */
export interface ThreadRemovals {
  /** Takes up to `limit` removals on until `takenUntil` that nobody has taken on beyond `now`, oldest first. */
  take(claim: {
    readonly now: number;
    readonly takenUntil: number;
    readonly limit: number;
  }): Promise<readonly ThreadRemoval[]>;
  /** The files are gone, and the id of the thread is free again. Does nothing when somebody else has taken it on since. */
  done(removal: ThreadRemoval): Promise<void>;
}
