// What the model calls of a run may still take.
import type { Money } from '../messages/money.ts';

/** The most that a call is expected to take. */
export interface CallEstimate {
  readonly tokens: number;
  readonly cost: Money;
}

/** Which budget is reached: that of one run, or that of its owner's day. */
export type BudgetScope = 'run' | 'user_day';

export type Reservation =
  /** `release` is called once, when the call is over and what it took was reported. */
  | { readonly kind: 'granted'; readonly release: () => void }
  /** `message` tells a person what ran out and when there is more. */
  | { readonly kind: 'refused'; readonly budget: BudgetScope; readonly message: string };

/** Asked before every model call of a run, those of sub-agents and middleware included. */
export interface CallBudget {
  reserve(call: CallEstimate): Promise<Reservation>;
}
