// Personal API keys, which a signed-in person creates, lists and revokes
// (docs/contract/authentication.md#api-keys).
import { z } from 'zod';
import type { ApiKeys } from '../../auth/api-keys.ts';
import { API_KEY_SCOPES } from '../../storage/api-keys.ts';
import { requireRecentPassword } from '../access/own-session.ts';
import { timeInput } from '../api/query-list.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { apiKeyBodySchema, presentApiKey } from '../presenters/account.ts';

const PATH = '/api/v1/auth/api-keys';

const newApiKeySchema = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .meta({ examples: ['nightly report'] }),
    scopes: z.array(z.enum(API_KEY_SCOPES)).min(1).max(API_KEY_SCOPES.length).default(['read']),
    expires_at: timeInput('2027-01-31T00:00:00Z')
      .nullable()
      .optional()
      .meta({ description: 'When omitted, the key is valid for 90 days; with null, until it is revoked' }),
  })
  .meta({ id: 'NewApiKey' });

interface ApiKeyRouteDependencies {
  readonly apiKeys: ApiKeys;
  readonly now: () => number;
}

/** Default lifetime of a key. */
const DEFAULT_LIFE_MS = 90 * 86_400_000;

export function apiKeyRoutes(routes: RouteTable, { apiKeys, now }: ApiKeyRouteDependencies): void {
  routes.post(PATH, {
    access: 'session',
    operationId: 'createApiKey',
    errors: ['password_required', 'conflict'],
    summary:
      'Create an API key; only this response shows it. Needs a password confirmation within the last ten minutes',
    body: { kind: 'json', schema: newApiKeySchema, nullable: ['expires_at'] },
    responses: {
      201: { description: 'The key', schema: apiKeyBodySchema.extend({ key: z.string() }) },
    },
    handle: async (c, { body: { name, scopes, expires_at: expiresAt = now() + DEFAULT_LIFE_MS } }) => {
      requireRecentPassword(c, now);
      const own = c.var.repositories.apiKeys;
      const clientIp = c.var.client.ip;
      const { record, key } = await apiKeys.create(own, { name, scopes, expiresAt, clientIp });
      return c.json({ ...presentApiKey(record), key }, 201);
    },
  });

  routes.get(PATH, {
    access: 'session',
    operationId: 'listApiKeys',
    summary: "The user's API keys, newest first, without the keys themselves",
    responses: ok('The keys', z.object({ api_keys: z.array(apiKeyBodySchema) })),
    handle: async (c) => c.json({ api_keys: (await c.var.repositories.apiKeys.list()).map(presentApiKey) }),
  });

  routes.delete(`${PATH}/{key_id}`, {
    access: 'session',
    operationId: 'revokeApiKey',
    errors: ['not_found'],
    summary: 'Revoke an API key; connections opened with it end within five seconds',
    responses: { 204: { description: 'Revoked' } },
    handle: (c) => apiKeys.revoke(c.var.repositories.apiKeys, pathParam(c, 'key_id'), c.var.client.ip),
  });
}
