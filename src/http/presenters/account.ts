// An account, its sessions and its API keys as shown to the user, without hashes, tokens or keys.
import { z } from 'zod';
import { API_KEY_SCOPES, type ApiKeyRecord } from '../../storage/api-keys.ts';
import type { SessionRecord } from '../../storage/sessions.ts';
import { CONFIRMED_MS } from '../access/own-session.ts';
import { presenterOf } from './presenter-of.ts';
import { timeField } from './wire-fields.ts';

export const userBodySchema = z
  .object({
    id: z.string(),
    email: z.string(),
    system_role: z.enum(['admin', 'user']),
    needs_setup: z.boolean(),
    oauth_provider: z.string().nullable(),
    created_at: timeField,
  })
  .meta({ id: 'User' });

export const presentUser = presenterOf(userBodySchema);

export const sessionBodySchema = z
  .object({
    id: z.string(),
    device: z.string().meta({ description: 'In plain words, such as "Firefox on Linux"' }),
    client_ip: z.string().meta({ description: 'Where it was opened from' }),
    created_at: timeField,
    last_used_at: timeField.meta({ description: 'To within five minutes' }),
    expires_at: timeField,
    password_confirmed_seconds: z
      .int()
      .min(0)
      .meta({ description: 'How long the password is not asked for again, in seconds; 0: it is asked for' }),
    current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
  })
  .meta({ id: 'Session' });

const presentListed = presenterOf(sessionBodySchema);

export function presentSession(
  session: SessionRecord,
  { current, now }: { readonly current: string | undefined; readonly now: number },
): z.output<typeof sessionBodySchema> {
  const { sessionId: id, confirmedAt } = session;
  const passwordConfirmedSeconds = Math.max(0, Math.floor((confirmedAt + CONFIRMED_MS - now) / 1000));
  return presentListed({ ...session, id, passwordConfirmedSeconds, current: id === current });
}

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

const presentKey = presenterOf(apiKeyBodySchema);

export function presentApiKey(key: ApiKeyRecord): z.output<typeof apiKeyBodySchema> {
  return presentKey({ ...key, id: key.keyId });
}
