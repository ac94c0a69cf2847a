// Creates the body of a run's webhook.
import { runOutcome } from '../../runs/reading/run-outcome.ts';
import { type Storage, UNSCOPED } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';
import type { ClaimedDelivery } from '../../storage/webhook-deliveries.ts';
import { presentRun } from './run.ts';
import { timestamp } from './wire-fields.ts';

interface WebhookBodyParts {
  readonly states: ThreadStates;
  readonly storage: Pick<Storage, 'as'>;
  readonly now: () => number;
}

type WebhookBodyOf = (delivery: ClaimedDelivery, maxBytes: number) => Promise<string>;

/** Returns the body: the run, its times under the names of the SDK's servers, and its final values. */
export function createWebhookBody({ states, storage, now }: WebhookBodyParts): WebhookBodyOf {
  return async ({ run, attempt }, maxBytes) => {
    const report = { status: 'pending', attempts: attempt, lastStatus: null, lastError: null } as const;
    const shown = presentRun(run, { ...report, nextAttemptAt: null });
    const fields = {
      ...shown,
      run_started_at: shown.started_at,
      run_ended_at: shown.finished_at,
      webhook_sent_at: timestamp(now()),
    };
    const repositories = storage.as(run.userId ?? UNSCOPED);
    const isFailed = run.status === 'error' || run.status === 'timeout';
    // Checked without folding a state of many megabytes.
    const isLarge = async () => (await repositories.checkpoints.headBytes([run.threadId])) > maxBytes;
    const outcome = isFailed || (await isLarge()) ? ['null'] : await runOutcome(states, repositories, run);
    const values = [...outcome].join('');
    const whole = `${JSON.stringify(fields).slice(0, -1)},"values":${values}}`;
    if (Buffer.byteLength(whole) <= maxBytes) return whole;
    const short = JSON.stringify({ ...fields, values: null, values_omitted: true });
    if (Buffer.byteLength(short) <= maxBytes) return short;
    return JSON.stringify({ ...fields, kwargs: {}, metadata: {}, values: null, values_omitted: true });
  };
}
