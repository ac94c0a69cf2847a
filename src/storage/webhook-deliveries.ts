// Calls to the webhooks of runs: durable from the admission of the run on, made by whichever process claims them.
import type { RunRecord } from './runs.ts';

export type WebhookStatus = 'pending' | 'delivered' | 'failed';

/** Why an attempt got no answer that counts. */
export type WebhookFailure =
  | 'bad_status'
  | 'redirected'
  | 'refused_address'
  | 'unknown_host'
  | 'timeout'
  | 'no_connection';

/** What became of the webhook of a run so far. Times are epoch milliseconds. */
export interface WebhookReport {
  readonly status: WebhookStatus;
  readonly attempts: number;
  /** HTTP status of the last answer; `null`: there was none. */
  readonly lastStatus: number | null;
  readonly lastError: WebhookFailure | null;
  /** When it is tried again; `null`: not before the run has ended, or never. */
  readonly nextAttemptAt: number | null;
}

/** A call that is not made again by itself. */
export interface FailedWebhook extends Pick<WebhookReport, 'attempts' | 'lastStatus' | 'lastError'> {
  readonly runId: string;
  readonly threadId: string;
  readonly url: string;
  readonly failedAt: number;
}

export interface WebhookReports {
  /** By run; runs without a webhook have none. */
  of(runIds: readonly string[]): Promise<ReadonlyMap<string, WebhookReport>>;
  /** Those that failed last first. */
  failed(page: { readonly limit: number; readonly offset: number }): Promise<readonly FailedWebhook[]>;
  /** The call is due again, with all of its attempts. `false`: the owner has no run whose webhook failed. */
  retry(runId: string, now: number): Promise<boolean>;
}

/** A call that the claimer is to make now. */
export interface ClaimedDelivery {
  /** Ended. */
  readonly run: RunRecord;
  readonly url: string;
  /** Of this call; 1 for the first. */
  readonly attempt: number;
}

export interface WebhookClaim {
  readonly now: number;
  /** Whoever has not finished by then has died: the call is made again. */
  readonly leaseUntil: number;
  readonly limit: number;
  /** Users with no place left. */
  readonly fullUsers: readonly (string | null)[];
}

type WebhookOutcome = Pick<WebhookReport, 'lastStatus' | 'lastError'> &
  (
    | { readonly status: 'delivered' | 'failed' }
    /** Tried again at `nextAt`. */
    | { readonly status: 'pending'; readonly nextAt: number }
  );

export interface WebhookDeliveries {
  /** Calls that are due for ended runs, one of each user at most; those due longest first. The attempt is counted. */
  claim(claim: WebhookClaim): Promise<readonly ClaimedDelivery[]>;
  /** When the next call that failed is due again, or one that is under way is given up; `undefined`: there is none. */
  nextRetryAt(): Promise<number | undefined>;
  /** Records the outcome of an attempt; does nothing when another process has claimed the call since. */
  finish(delivery: ClaimedDelivery, outcome: WebhookOutcome, now: number): Promise<void>;
}
