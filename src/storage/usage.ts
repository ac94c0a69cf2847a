// Usage of model calls and reservations for running ones: of a thread, and of a user by day and model.
import type { NewRunEvent } from './run-events.ts';
import type { ModelUsage, RunTotals } from './runs.ts';

/** Tokens and money. */
export type Spending = Omit<ModelUsage, 'calls'>;

/** One model call that has ended. */
export interface SpentCall extends Spending {
  /** The end of the call in epoch milliseconds. */
  readonly at: number;
  readonly model: string;
}

/** The owner's usage on one day with one model. */
export interface UsageOfDay extends ModelUsage {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly model: string;
}

export interface ModelUsageOfThread extends ModelUsage {
  /** Number of runs that called the model. */
  readonly runs: number;
}

/** Sums over the ended runs of a thread, however they ended. */
export interface UsageOfThread
  extends Pick<RunTotals, 'leadAgentTokens' | 'subagentTokens' | 'middlewareTokens'> {
  readonly runs: number;
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly byModel: Readonly<Record<string, ModelUsageOfThread>>;
}

/** Model calls of one run that ended after it. */
export interface LateCall {
  readonly runId: string;
  readonly record: readonly NewRunEvent[];
  readonly spent: readonly SpentCall[];
  /** Returns the run's totals with these calls. Pure. */
  readonly totals: (before: RunTotals) => RunTotals;
  readonly now: number;
}

/**
 * Counts additional bytes of metadata. Throws `payload_too_large` when the user's quota does not allow them.
 */
export type AdmitMetadata = (userId: string | null, bytes: number) => Promise<void>;

export interface UsageRepository {
  ofThread(threadId: string): Promise<UsageOfThread>;
  /**
   * Returns the current size of the metadata of the owner's threads and runs, in bytes of JSON. Empty
   * metadata counts nothing.
   */
  metadataBytes(): Promise<number>;
  /**
   * Returns the owner's usage from `from` to `to`, both inclusive (`YYYY-MM-DD`), by day and model. Days
   * without usage are omitted. Deleting threads and runs does not reduce it.
   */
  days(range: { readonly from: string; readonly to: string }): Promise<readonly UsageOfDay[]>;
  /**
   * Adds the calls to the record and the totals of their run, if it exists, and to the owner's day.
   * `'running'`: the run has not ended, so it counts them itself; nothing was done.
   */
  countLate(late: LateCall): Promise<'counted' | 'running'>;
}

/** Returns the day in UTC (`YYYY-MM-DD`). */
export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

export interface BudgetRequest {
  readonly reservationId: string;
  readonly runId: string;
  /** A reservation counts while its run is running in this attempt. A commit of the run releases it. */
  readonly attempt: number;
  readonly userId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly tokens: number;
  /** Billionths of the currency's unit. Money in other currencies is not counted. */
  readonly nanos: number;
  readonly currency: string;
  /** At least one of them. */
  readonly limits: { readonly tokens?: number; readonly nanos?: number };
}

export type BudgetDecision =
  | { readonly kind: 'granted' }
  /** The sum of what is spent and reserved on that day. */
  | { readonly kind: 'refused'; readonly tokens: number; readonly nanos: number };

/** Reservations of a user's daily budget for running model calls. */
export interface BudgetReservations {
  /**
   * Reserves tokens and money if they, the user's usage on that day and all reservations together stay within
   * the limits. The limits hold for any number of concurrent calls in any number of processes.
   */
  reserve(request: BudgetRequest): Promise<BudgetDecision>;
}
