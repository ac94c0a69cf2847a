// Personal API keys: made, listed and revoked by a person who is signed in (decisions, section 2, API keys).
import { z } from 'zod';
import type { ApiKeys } from '../../auth/api-keys.ts';
import { API_KEY_SCOPES } from '../../storage/api-keys.ts';
import type { Clients } from '../clients.ts';
import { apiKeyBodySchema, presentApiKey } from '../presenters/api-key.ts';
import type { RouteTable } from '../route-table.ts';

const PATH = '/api/v1/auth/api-keys';
const TAG = 'Authentication';

const newApiKeySchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    scopes: z.array(z.enum(API_KEY_SCOPES)).min(1).max(API_KEY_SCOPES.length).default(['read']),
    /** Left out, the key does not expire. */
    expires_at: z.iso.datetime({ offset: true }).max(64).optional(),
  })
  .meta({ id: 'NewApiKey' });

interface ApiKeyRouteDependencies {
  readonly apiKeys: ApiKeys;
  readonly clients: Clients;
}

export function mountApiKeyRoutes(routes: RouteTable, { apiKeys, clients }: ApiKeyRouteDependencies): void {
  routes.add({
    method: 'post',
    path: PATH,
    access: 'session',
    tag: TAG,
    summary: 'Make an API key; the answer is the only one that shows it',
    body: { kind: 'json', schema: newApiKeySchema },
    answers: {
      201: { description: 'The key', schema: apiKeyBodySchema.extend({ key: z.string() }) },
    },
    handle: async (c, { body: { name, scopes, expires_at: expires } }) => {
      const expiresAt = expires === undefined ? null : Date.parse(expires);
      const own = c.var.repositories.apiKeys;
      const clientIp = clients.ip(c);
      const { record, key } = await apiKeys.create(own, { name, scopes, expiresAt, clientIp });
      return c.json({ ...presentApiKey(record), key }, 201);
    },
  });

  routes.add({
    method: 'get',
    path: PATH,
    access: 'session',
    tag: TAG,
    summary: "The user's API keys, newest first, without the keys themselves",
    answers: {
      200: { description: 'The keys', schema: z.object({ api_keys: z.array(apiKeyBodySchema) }) },
    },
    handle: async (c) => c.json({ api_keys: (await c.var.repositories.apiKeys.list()).map(presentApiKey) }),
  });

  routes.add({
    method: 'delete',
    path: `${PATH}/{key_id}`,
    access: 'session',
    tag: TAG,
    summary: 'Revoke an API key; what was opened with it ends within five seconds',
    answers: { 204: { description: 'Revoked' } },
    handle: async (c) => {
      await apiKeys.revoke(c.var.repositories.apiKeys, c.req.param('key_id') ?? '', clients.ip(c));
      return c.body(null, 204);
    },
  });
}
