// What is set aside of a person's day for model calls that go on.

export interface BudgetRequest {
  readonly reservationId: string;
  readonly runId: string;
  /** A reservation counts while its run is executed under this attempt; it is released with a commit of the run. */
  readonly attempt: number;
  readonly userId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly tokens: number;
  /** Billionths of the currency's unit; money in other currencies is not counted. */
  readonly nanos: number;
  readonly currency: string;
  /** At least one of them. */
  readonly limits: { readonly tokens?: number; readonly nanos?: number };
}

export type BudgetAnswer =
  | { readonly kind: 'granted' }
  /** What is spent of the day and set aside together. */
  | { readonly kind: 'refused'; readonly tokens: number; readonly nanos: number };

export interface BudgetReservations {
  /**
   * Sets tokens and money aside if what the person has spent on that day, what is set aside, and this together stay
   * within the limits. However many ask at once, in however many processes, the limits hold.
   */
  reserve(request: BudgetRequest): Promise<BudgetAnswer>;
}
