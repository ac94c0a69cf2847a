// What model calls took and what is set aside for those that go on: of a thread, and of a person by day and model.
import type { Money } from '../messages/money.ts';
import type { NewRunEvent } from './run-events.ts';
import type { RunTotals } from './runs.ts';

/** Tokens and money. `cachedInputTokens` are among the `inputTokens`. */
export interface Spending {
  readonly tokens: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly cost: Money;
}

/** One model call that has ended. */
export interface SpentCall extends Spending {
  /** Epoch milliseconds: when it ended. */
  readonly at: number;
  readonly model: string;
}

/** What the owner spent on one day with one model. */
export interface UsageOfDay extends Spending {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly model: string;
  readonly calls: number;
}

export interface ModelUsageOfThread extends Spending {
  readonly calls: number;
  /** The runs that asked the model. */
  readonly runs: number;
}

/** Sums over the ended runs of a thread, however they ended. */
export interface UsageOfThread {
  readonly runs: number;
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly leadAgentTokens: number;
  readonly subagentTokens: number;
  readonly middlewareTokens: number;
  readonly byModel: Readonly<Record<string, ModelUsageOfThread>>;
}

/** Model calls that ended after their run. */
export interface LateCall {
  readonly runId: string;
  readonly record: readonly NewRunEvent[];
  readonly spent: readonly SpentCall[];
  /** The totals of the run with them. Pure. */
  readonly totals: (before: RunTotals) => RunTotals;
  readonly now: number;
}

/** Counts that many more bytes of metadata; throws `payload_too_large` when the person's quota does not allow them. */
export type AdmitMetadata = (userId: string | null, bytes: number) => Promise<void>;

export interface UsageRepository {
  ofThread(threadId: string): Promise<UsageOfThread>;
  /** What the metadata of the owner's threads and runs takes now, in bytes of JSON; empty metadata takes nothing. */
  metadataBytes(): Promise<number>;
  /**
   * What the owner's model calls took from `from` to `to`, both included (`YYYY-MM-DD`), by day and model; days
   * without any are left out. Deleting threads and runs takes nothing from it.
   */
  days(range: { readonly from: string; readonly to: string }): Promise<readonly UsageOfDay[]>;
  /**
   * Adds the calls to the record and the totals of their run, if it is there, and to the day of the owner.
   * `'running'`: the run has not ended, so it counts itself; nothing was done.
   */
  countLate(late: LateCall): Promise<'counted' | 'running'>;
}

/** The day of the moment, in UTC. */
export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

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

export type BudgetDecision =
  | { readonly kind: 'granted' }
  /** What is spent of the day and set aside together. */
  | { readonly kind: 'refused'; readonly tokens: number; readonly nanos: number };

/** What is set aside of a person's day for model calls that go on. */
export interface BudgetReservations {
  /**
   * Sets tokens and money aside if what the person has spent on that day, what is set aside, and this together stay
   * within the limits. However many ask at once, in however many processes, the limits hold.
   */
  reserve(request: BudgetRequest): Promise<BudgetDecision>;
}
