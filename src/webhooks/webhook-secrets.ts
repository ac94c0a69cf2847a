// Each user's secret, with which calls to that user's webhooks are signed (Standard Webhooks, version 1).
import { createHmac } from 'node:crypto';

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly body: string;
}

/** `key` belongs to the service. Another key gives other secrets. */
export function createWebhookSecrets(key: Buffer) {
  const keyOf = (userId: string) => createHmac('sha256', key).update(userId).digest();
  return {
    /**
     * Returns the secret as libraries expect it: `whsec_` and base64. It is the same in every process with the
     * same session secret.
     */
    of: (userId: string): string => `whsec_${keyOf(userId).toString('base64')}`,
    /**
     * Returns the headers that prove to the receiver that this service made the call, when, and whether it is
     * a repetition.
     */
    headers(userId: string, { id, sentAt, body }: SignedMessage): Readonly<Record<string, string>> {
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
