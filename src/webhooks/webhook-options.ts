// Options of webhooks, from `webhooks:` in the configuration file.
import { z } from 'zod';

const DAY_SECONDS = 86_400;

export const webhookOptionsSchema = z.strictObject({
  /** When `false`, a run that names a webhook is refused. */
  enabled: z.boolean().default(true),
  /** Internal hosts that may be called, as `host` or `host:port`. All others must be public. */
  allow_hosts: z.array(z.string().min(1)).default([]),
  /** Timeout of one call, until the status of its response arrives. */
  timeout_seconds: z.number().min(0.1).max(60).default(10),
  /** Pauses after calls that failed. The call after the last pause is the final one. */
  retry_seconds: z
    .array(z.number().min(0).max(DAY_SECONDS))
    .max(20)
    .default([5, 30, 120, 600, 3_600, 21_600]),
  /** A body that would be longer omits the values of the state, and then the request. */
  max_body_kb: z.int().min(16).max(16_384).default(1_024),
  /** Concurrent calls, of all users and of one. */
  at_once: z.int().min(1).max(256).default(16),
  per_user: z.int().min(1).max(256).default(4),
});

export type WebhookOptions = z.output<typeof webhookOptionsSchema>;
