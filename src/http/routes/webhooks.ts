// Webhooks of the person who asks: the secret that signs them, and the calls that failed.
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { FailedWebhook } from '../../storage/webhook-deliveries.ts';
import type { WebhookSecrets } from '../../webhooks/webhook-secrets.ts';
import { queryInteger } from '../api/query-list.ts';
import type { MountRoutes, RouteTable } from '../api/route-table.ts';
import { runIdField, threadIdField, timeField, timestamp } from '../presenters/wire-fields.ts';

export interface WebhookRouteDependencies {
  readonly webhookSecrets: WebhookSecrets;
  /** A call has become due. */
  readonly callWebhooks: () => void;
  readonly now: () => number;
}

const FAILED = '/api/webhooks/failed';

const secretBody = z.object({ secret: z.string() }).meta({ id: 'WebhookSecret' });
const failedSchema = z
  .object({
    run_id: runIdField,
    thread_id: threadIdField,
    url: z.string().meta({ examples: ['https://example.com/hook'] }),
    attempts: z.int(),
    last_status: z.int().nullable().meta({ description: 'HTTP status of the last answer, if there was one' }),
    last_error: z
      .string()
      .nullable()
      .meta({ examples: ['bad_status'] }),
    failed_at: timeField,
  })
  .meta({ id: 'FailedWebhook' });
const pageQuery = z.object({
  limit: queryInteger({ min: 1, max: 100 }).default(20).describe('Calls to answer, at most'),
  offset: queryInteger({ min: 0, max: 1_000_000 }).default(0).describe('Calls to pass over'),
});

export function webhookRoutes(parts: WebhookRouteDependencies): MountRoutes {
  return (routes) => {
    mountSecret(routes, parts);
    mountFailed(routes, parts);
  };
}

function mountSecret(routes: RouteTable, { webhookSecrets }: WebhookRouteDependencies): void {
  routes.add({
    method: 'get',
    path: '/api/v1/auth/webhook-secret',
    access: 'session',
    tag: 'Authentication',
    operationId: 'getWebhookSecret',
    summary: 'The secret that signs calls to your webhooks',
    responses: {
      200: { description: 'As Standard Webhooks write it: `whsec_` and base64', schema: secretBody },
    },
    handle: (c) => c.json({ secret: webhookSecrets.of(c.var.user.id) }),
  });
}

function mountFailed(routes: RouteTable, { now, callWebhooks }: WebhookRouteDependencies): void {
  routes.add<undefined, z.output<typeof pageQuery>>({
    method: 'get',
    path: FAILED,
    operationId: 'listFailedWebhooks',
    summary: 'Calls to the webhooks of your runs that failed each time, the newest first',
    query: pageQuery,
    responses: {
      200: { description: 'A page of them', schema: z.object({ webhooks: z.array(failedSchema) }) },
    },
    handle: async (c, { query }) => {
      const failed = await c.var.repositories.webhooks.failed(query);
      return c.json({ webhooks: failed.map(presentFailed) });
    },
  });

  routes.add({
    method: 'post',
    path: `${FAILED}/{run_id}/retry`,
    operationId: 'retryWebhook',
    errors: ['not_found'],
    summary: 'Make a call that failed again, with all of its attempts',
    responses: { 204: { description: 'It is due' } },
    handle: async (c) => {
      const isDue = await c.var.repositories.webhooks.retry(c.req.param('run_id') ?? '', now());
      if (!isDue) throw notFound('Failed webhook');
      callWebhooks();
      return c.body(null, 204);
    },
  });
}

function presentFailed(failed: FailedWebhook): z.output<typeof failedSchema> {
  return {
    run_id: failed.runId,
    thread_id: failed.threadId,
    url: failed.url,
    attempts: failed.attempts,
    last_status: failed.lastStatus,
    last_error: failed.lastError,
    failed_at: timestamp(failed.failedAt),
  };
}
