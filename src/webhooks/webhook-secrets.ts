// Each user's secret, with which calls to that user's webhooks are signed (Standard Webhooks, version 1).
import { createHmac } from 'node:crypto';

export interface WebhookSecrets {
  /**
   * Returns the secret as libraries expect it: `whsec_` and base64. It is the same in every process with the
   * same session secret.
   */
  of(userId: string): string;
  /**
   * Returns the headers that prove to the receiver that this service made the call, when, and whether it is a
   * repetition.
   */
  headers(userId: string, message: SignedMessage): Readonly<Record<string, string>>;
}

interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly body: string;
}

/** `key` belongs to the service. Another key gives other secrets. */
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
