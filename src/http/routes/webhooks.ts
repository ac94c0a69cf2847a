// The secret with which a user's webhooks are signed.
import { z } from 'zod';
import type { WebhookSecrets } from '../../webhooks/webhook-secrets.ts';
import type { MountRoutes } from '../route-table.ts';

export interface WebhookRouteDependencies {
  readonly webhookSecrets: WebhookSecrets;
}

const secretBody = z.object({ secret: z.string() }).meta({ id: 'WebhookSecret' });

export function webhookRoutes({ webhookSecrets }: WebhookRouteDependencies): MountRoutes {
  return (routes) => {
    routes.add({
      method: 'get',
      path: '/api/v1/auth/webhook-secret',
      access: 'session',
      tag: 'Authentication',
      operationId: 'getWebhookSecret',
      errors: [],
      summary: 'The secret that signs calls to your webhooks',
      answers: {
        200: { description: 'As Standard Webhooks write it: `whsec_` and base64', schema: secretBody },
      },
      handle: (c) => c.json({ secret: webhookSecrets.of(c.var.user.id) }),
    });
  };
}
