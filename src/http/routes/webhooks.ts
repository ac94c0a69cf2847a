// The user's webhooks: the secret that signs them, and the calls that failed.
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { WebhookSecrets } from '../../webhooks/webhook-secrets.ts';
import { queryLimit, queryOffset } from '../api/query-list.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presenterOf } from '../presenters/presenter-of.ts';
import { runIdField, threadIdField, timeField } from '../presenters/wire-fields.ts';

export interface WebhookRouteDependencies {
  readonly webhookSecrets: WebhookSecrets;
  /** Called when a call has become due. */
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
const presentFailed = presenterOf(failedSchema);
const pageQuery = z.object({
  limit: queryLimit('Calls', { max: 100, usual: 20 }),
  offset: queryOffset('Calls'),
});

export function webhookRoutes(
  routes: RouteTable,
  { webhookSecrets, callWebhooks, now }: WebhookRouteDependencies,
): void {
  routes.get('/api/v1/auth/webhook-secret', {
    access: 'session',
    operationId: 'getWebhookSecret',
    summary: 'The secret that signs calls to your webhooks',
    responses: ok('In the format of Standard Webhooks: `whsec_` and base64', secretBody),
    handle: (c) => c.json({ secret: webhookSecrets.of(c.var.user.id) }),
  });

  routes.get(FAILED, {
    operationId: 'listFailedWebhooks',
    summary: 'Webhook calls of your runs that failed on every attempt, newest first',
    query: pageQuery,
    responses: ok('A page of them', z.object({ webhooks: z.array(failedSchema) })),
    handle: async (c, { query }) => {
      const failed = await c.var.repositories.webhooks.failed(query);
      return c.json({ webhooks: failed.map(presentFailed) });
    },
  });

  routes.post(`${FAILED}/{run_id}/retry`, {
    operationId: 'retryWebhook',
    errors: ['not_found'],
    summary: 'Repeat a failed call, with a new set of attempts',
    responses: { 204: { description: 'It is due' } },
    handle: async (c) => {
      const isDue = await c.var.repositories.webhooks.retry(pathParam(c, 'run_id'), now());
      if (!isDue) throw notFound('Failed webhook');
      callWebhooks();
    },
  });
}
