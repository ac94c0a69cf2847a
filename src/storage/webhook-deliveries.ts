// Calls to the webhooks of runs: durable from the run's admission, made by the process that claims them.
import type { DueClaim } from './due-claim.ts';
import type { RunRecord } from './runs.ts';

type WebhookStatus = 'pending' | 'delivered' | 'failed';

/** Why an attempt got no successful response. */
export type WebhookFailure =
  | 'bad_status'
  | 'redirected'
  | 'refused_address'
  | 'unknown_host'
  | 'timeout'
  | 'no_connection';

/** The state of a run's webhook. Times are epoch milliseconds. */
export interface WebhookReport {
  readonly status: WebhookStatus;
  readonly attempts: number;
  /** HTTP status of the last response; `null` for none. */
  readonly lastStatus: number | null;
  readonly lastError: WebhookFailure | null;
  /** Time of the next attempt; `null`: not before the run has ended, or never. */
  readonly nextAttemptAt: number | null;
}

/** A failed call that is not retried automatically. */
interface FailedWebhook extends Pick<WebhookReport, 'attempts' | 'lastStatus' | 'lastError'> {
  readonly runId: string;
  readonly threadId: string;
  readonly url: string;
  readonly failedAt: number;
}

export interface WebhookReports {
  /** Returns the reports by run id. Runs without a webhook have none. */
  of(runIds: readonly string[]): Promise<ReadonlyMap<string, WebhookReport>>;
  /** Returns failed calls, the most recent failure first. */
  failed(page: { readonly limit: number; readonly offset: number }): Promise<readonly FailedWebhook[]>;
  /**
   * Makes the call due again, with all its attempts. Returns `false` when the owner has no run whose webhook
   * failed.
   */
  retry(runId: string, now: number): Promise<boolean>;
}

/** A call that the claimer must make now. */
export interface ClaimedDelivery {
  /** The ended run. */
  readonly run: RunRecord;
  readonly url: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

export interface WebhookClaim extends DueClaim {
  /** Users without a free place. */
  readonly fullUsers: readonly (string | null)[];
}

type WebhookOutcome = Pick<WebhookReport, 'lastStatus' | 'lastError'> &
  (
    | { readonly status: 'delivered' | 'failed' }
    /** Retried at `nextAt`. */
    | { readonly status: 'pending'; readonly nextAt: number }
  );

export interface WebhookDeliveries {
  /** Claims due calls for ended runs, at most one of each user, longest due first, and counts the attempt. */
  claim(claim: WebhookClaim): Promise<readonly ClaimedDelivery[]>;
  /**
   * Returns when the next failed call is due again, or the claim of a call expires; `undefined` when there is
   * none.
   */
  nextRetryAt(): Promise<number | undefined>;
  /** Records the outcome of an attempt. Does nothing when another process has claimed the call since. */
  finish(delivery: ClaimedDelivery, outcome: WebhookOutcome, now: number): Promise<void>;
}
