// Puts together what calls the webhooks of runs.
import { validationFailed } from './errors.ts';
import { presentRun } from './http/presenters/run.ts';
import { timestamp } from './http/presenters/wire-fields.ts';
import type { Log } from './log.ts';
import { resolveBySystem } from './network/checked-host.ts';
import { runOutcome } from './runs/reading/run-outcome.ts';
import type { RunRecord } from './storage/runs.ts';
import { type Repositories, type Storage, UNSCOPED } from './storage/storage.ts';
import type { ThreadStates } from './storage/thread-states.ts';
import type { ClaimedDelivery } from './storage/webhook-deliveries.ts';
import type { JobTaker } from './upkeep/upkeep.ts';
import { createWebhookCaller, webhookAddress } from './webhooks/webhook-call.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';
import { createWebhookSecrets, type WebhookSecrets } from './webhooks/webhook-secrets.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';

export interface WebhookRoom {
  readonly webhookSecrets: WebhookSecrets;
  /** Throws `validation_failed` for the webhook of a new run that would not be called. */
  readonly checkWebhook: (address: string) => void;
  /** A call may have become due: the run of a webhook has ended, or somebody asked for it again. */
  readonly callWebhooks: () => void;
}

interface WebhookRoomParts {
  readonly storage: Pick<Storage, 'as' | 'webhookDeliveries'>;
  readonly states: ThreadStates;
  readonly options: WebhookOptions;
  /** A key of the service for one purpose. */
  readonly keyFor: (purpose: string) => Buffer;
  readonly log: Log;
  readonly now: () => number;
  readonly upkeep: JobTaker;
}

export function createWebhookRoom(parts: WebhookRoomParts): WebhookRoom {
  const { storage, states, options, keyFor, log, now, upkeep } = parts;
  const allowed = new Set(options.allow_hosts);
  const secrets = createWebhookSecrets(keyFor('webhook secrets'));
  const sender = upkeep.add(
    createWebhookSender({
      deliveries: storage.webhookDeliveries,
      options,
      call: createWebhookCaller({
        allowed,
        timeoutMs: options.timeout_seconds * 1_000,
        resolve: resolveBySystem,
      }),
      secrets,
      bodyOf: (delivery, maxBytes) =>
        bodyOf(delivery, {
          states,
          repositories: storage.as(delivery.run.userId ?? UNSCOPED),
          maxBytes,
          now,
        }),
      log,
      now,
    }),
  );
  return {
    webhookSecrets: secrets,
    callWebhooks: () => void sender.wake(),
    checkWebhook(address) {
      const refusal = options.enabled
        ? webhookAddress(address, allowed)
        : 'This service calls no webhooks (webhooks.enabled)';
      if (typeof refusal === 'string') throw validationFailed(['body', 'webhook'], refusal);
    },
  };
}

interface BodyParts {
  readonly states: ThreadStates;
  readonly repositories: Repositories;
  readonly maxBytes: number;
  readonly now: () => number;
}

/** The run, its times under the names that the SDK's servers use, and the final values of its state. */
async function bodyOf({ run, attempt }: ClaimedDelivery, parts: BodyParts): Promise<string> {
  const report = { status: 'pending', attempts: attempt, lastStatus: null, lastError: null } as const;
  const told = presentRun(run, { ...report, nextAttemptAt: null });
  const fields = {
    ...told,
    run_started_at: told.started_at,
    run_ended_at: told.finished_at,
    webhook_sent_at: timestamp(parts.now()),
  };
  const values = await valuesOf(run, parts);
  const whole = `${JSON.stringify(fields).slice(0, -1)},"values":${values}}`;
  if (Buffer.byteLength(whole) <= parts.maxBytes) return whole;
  const short = JSON.stringify({ ...fields, values: null, values_omitted: true });
  if (Buffer.byteLength(short) <= parts.maxBytes) return short;
  return JSON.stringify({ ...fields, kwargs: {}, metadata: {}, values: null, values_omitted: true });
}

/** JSON text; `null` of a run that failed, and of a state that is too large anyway. */
async function valuesOf(run: RunRecord, { states, repositories, maxBytes }: BodyParts): Promise<string> {
  if (run.status === 'error' || run.status === 'timeout') return 'null';
  // Without folding a state of megabytes to find out that it is one.
  if ((await repositories.checkpoints.headBytes([run.threadId])) > maxBytes) return 'null';
  return [...(await runOutcome(states, repositories, run))].join('');
}
