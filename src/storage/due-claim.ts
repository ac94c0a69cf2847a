// Claims of due work, which several processes may look for at the same time.

/** Times are epoch milliseconds. */
export interface DueClaim {
  readonly now: number;
  /**
   * The end of the claim. A claimer that has not finished by then counts as dead, and another may claim the
   * work.
   */
  readonly leaseUntil: number;
  readonly limit: number;
}
