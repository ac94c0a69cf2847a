// Calls the webhooks of runs that have ended. Due calls are claimed, a few concurrently, and retried with
// growing pauses.
import type { Log } from '../log.ts';
import type { ClaimedDelivery, WebhookDeliveries } from '../storage/webhook-deliveries.ts';
import type { Job, Turn } from '../upkeep/upkeep.ts';
import type { CallResponse, WebhookCall } from './webhook-call.ts';
import type { WebhookOptions } from './webhook-options.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export interface WebhookSenderParts {
  readonly deliveries: WebhookDeliveries;
  readonly options: WebhookOptions;
  readonly call: (call: WebhookCall, stopped: AbortSignal) => Promise<CallResponse>;
  readonly secrets: WebhookSecrets;
  /** Returns what is sent of an ended run, as JSON text of at most `maxBytes`, if that is possible. */
  readonly bodyOf: (delivery: ClaimedDelivery, maxBytes: number) => Promise<string>;
  readonly log: Log;
  readonly now: () => number;
}

/**
 * This process knows the calls that become due in it. This interval finds those that other processes have
 * left.
 */
const OTHERS_MS = 30_000;
/** A call that is due may wait for a place, or for the end of a deletion. */
const AGAIN_MS = 500;
/** Time beyond the call itself, for reading the run and writing the outcome. */
const LEASE_SPARE_MS = 20_000;
/** The user id that signs calls for runs without a user. No user has its secret. */
const NOBODY = '';

/** At a stop, active calls are aborted, and the next process retries them. */
export function createWebhookSender(parts: WebhookSenderParts): Job {
  const { deliveries, options, log, now } = parts;
  const underWay = new Set<Promise<void>>();
  const perUser = new Map<string | null, number>();

  const deliver = async (delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> => {
    const response = await attempt(parts, delivery, signal);
    await deliveries.finish(delivery, outcomeOf(response, delivery.attempt, { options, now: now() }), now());
  };

  const begin = (delivery: ClaimedDelivery, { signal, wake }: Turn): void => {
    const { userId } = delivery.run;
    perUser.set(userId, (perUser.get(userId) ?? 0) + 1);
    const work = deliver(delivery, signal)
      // The lease expires.
      .catch((err: unknown) =>
        log.warn({ err, runId: delivery.run.runId }, 'a webhook will be called again later'),
      )
      .finally(() => {
        underWay.delete(work);
        const left = (perUser.get(userId) ?? 1) - 1;
        if (left === 0) perUser.delete(userId);
        else perUser.set(userId, left);
        void wake();
      });
    underWay.add(work);
  };

  const nextPass = async (): Promise<number | undefined> => {
    const nextAt = await deliveries.nextRetryAt();
    return nextAt === undefined ? undefined : Math.max(AGAIN_MS, nextAt - now());
  };

  const claimAll = async (turn: Turn): Promise<number | undefined> => {
    while (!turn.signal.aborted && underWay.size < options.at_once) {
      const at = now();
      const claimed = await deliveries.claim({
        now: at,
        leaseUntil: at + options.timeout_seconds * 1_000 + LEASE_SPARE_MS,
        limit: options.at_once - underWay.size,
        fullUsers: [...perUser].flatMap(([userId, calls]) => (calls < options.per_user ? [] : [userId])),
      });
      for (const delivery of claimed) begin(delivery, turn);
      if (claimed.length === 0) return nextPass();
    }
    // The end of a call wakes the job.
    return undefined;
  };

  return {
    name: 'webhooks',
    everyMs: OTHERS_MS,
    pass: claimAll,
    last: () => Promise.all(underWay),
  };
}

async function attempt(
  { options, call, secrets, bodyOf, now }: WebhookSenderParts,
  delivery: ClaimedDelivery,
  stopped: AbortSignal,
): Promise<CallResponse> {
  const { run, url } = delivery;
  const body = await bodyOf(delivery, options.max_body_kb * 1_024);
  const headers = secrets.headers(run.userId ?? NOBODY, { id: run.runId, sentAt: now(), body });
  return call({ url, body, headers }, stopped);
}

function outcomeOf(
  { kind, status, error }: CallResponse,
  attempt: number,
  { options, now }: { readonly options: WebhookOptions; readonly now: number },
) {
  const outcome = { lastStatus: status, lastError: error };
  if (kind === 'delivered') return { ...outcome, status: 'delivered' } as const;
  const pause = kind === 'give_up' ? undefined : options.retry_seconds[attempt - 1];
  if (pause === undefined) return { ...outcome, status: 'failed' } as const;
  return { ...outcome, status: 'pending', nextAt: now + pause * 1_000 } as const;
}
