// An API key as its owner sees it: never the key, never its hash.
import { z } from 'zod';
import { API_KEY_SCOPES, type ApiKeyRecord } from '../../storage/api-keys.ts';
import { timestamp } from './timestamp.ts';
import { timeField } from './wire-fields.ts';

export const apiKeyBodySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().meta({ description: 'The beginning of the key' }),
    scopes: z.array(z.enum(API_KEY_SCOPES)),
    created_at: timeField,
    expires_at: timeField.nullable(),
    last_used_at: timeField.nullable().meta({ description: 'To the minute' }),
  })
  .meta({ id: 'ApiKey' });

export function presentApiKey(key: ApiKeyRecord): z.output<typeof apiKeyBodySchema> {
  return {
    id: key.keyId,
    name: key.name,
    hint: key.hint,
    scopes: [...key.scopes],
    created_at: timestamp(key.createdAt),
    expires_at: key.expiresAt === null ? null : timestamp(key.expiresAt),
    last_used_at: key.lastUsedAt === null ? null : timestamp(key.lastUsedAt),
  };
}
