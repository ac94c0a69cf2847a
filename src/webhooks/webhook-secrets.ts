// Each user's secret, with which calls to that user's webhooks are signed (Standard Webhooks, version 1).
import { createHmac } from 'node:crypto';

export interface WebhookSecrets {
  /** As libraries take it: `whsec_` and base64. The same in every process that has the secret of the sessions. */
  of(userId: string): string;
  /** The headers that let the receiver tell that the call is ours, when it was made, and whether it is a repetition. */
  headers(userId: string, message: SignedMessage): Readonly<Record<string, string>>;
}

interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly body: string;
}

/** `key`: of the service; another one gives other secrets. */
export function createWebhookSecrets(key: Buffer): WebhookSecrets {
  const keyOf = (userId: string) => createHmac('sha256', key).update(userId).digest();
  return {
    of: (userId) => `whsec_${keyOf(userId).toString('base64')}`,
    headers(userId, { id, sentAt, body }) {
      const timestamp = String(Math.floor(sentAt / 1_000));
      const signed = createHmac('sha256', keyOf(userId)).update(`${id}.${timestamp}.${body}`);
      return {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signed.digest('base64')}`,
      };
    },
  };
}
