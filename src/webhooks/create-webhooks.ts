// Creates webhooks: which addresses are called, with which secrets, and the job that calls them.
import { validationFailed } from '../errors.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createWebhookCaller, webhookAddress } from './webhook-call.ts';
import { createWebhookSecrets, type WebhookSecrets } from './webhook-secrets.ts';
import { createWebhookSender, type WebhookSenderParts } from './webhook-sender.ts';

export interface Webhooks {
  readonly secrets: WebhookSecrets;
  /** Throws `validation_failed` for the webhook of a new run that would not be called. */
  readonly check: (address: string) => void;
  /** Wakes the sender: the run of a webhook has ended, or its call was requested again. */
  readonly call: () => void;
}

interface WebhooksParts extends Omit<WebhookSenderParts, 'call' | 'secrets'> {
  /** The key from which the secrets of users are derived. */
  readonly key: Buffer;
  readonly upkeep: JobTaker;
}

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { deliveries, options, key, bodyOf, log, now, upkeep } = parts;
  const allowed = new Set(options.allow_hosts);
  const timeoutMs = options.timeout_seconds * 1_000;
  const call = createWebhookCaller(allowed, timeoutMs);
  const secrets = createWebhookSecrets(key);
  const sender = upkeep.add(createWebhookSender({ deliveries, options, call, secrets, bodyOf, log, now }));
  return {
    secrets,
    call: () => void sender.wake(),
    check(address) {
      const refusal = options.enabled
        ? webhookAddress(address, allowed)
        : 'This service does not call webhooks (webhooks.enabled)';
      if (typeof refusal === 'string') throw validationFailed(['body', 'webhook'], refusal);
    },
  };
}
