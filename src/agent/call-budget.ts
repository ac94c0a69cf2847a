// The budget for the model calls of a run.
import type { Money } from '../messages/money.ts';

/** The expected maximum of what a call uses. */
export interface CallEstimate {
  readonly tokens: number;
  readonly cost: Money;
}

/** The exhausted budget: that of the run, or that of its owner for the day. */
export type BudgetScope = 'run' | 'user_day';

export type Reservation =
  /** The caller calls `release` once, after the call is over and its usage is reported. */
  | { readonly kind: 'granted'; readonly release: () => void }
  /** `message` describes for a person what ran out and when there is more. */
  | { readonly kind: 'refused'; readonly budget: BudgetScope; readonly message: string };

/** Asked before every model call of a run, including those of sub-agents and middleware. */
export interface CallBudget {
  reserve(call: CallEstimate): Promise<Reservation>;
}
