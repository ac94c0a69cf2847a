// An account, its sessions and its API keys as their user sees them: never a hash, a token or a key.
import { z } from 'zod';
import { API_KEY_SCOPES, type ApiKeyRecord } from '../../storage/api-keys.ts';
import type { SessionRecord } from '../../storage/sessions.ts';
import type { UserRecord } from '../../storage/users.ts';
import { CONFIRMED_MS } from '../access/own-session.ts';
import { timeField, timestamp } from './wire-fields.ts';

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

export function presentUser(user: UserRecord): z.output<typeof userBodySchema> {
  return {
    id: user.id,
    email: user.email,
    system_role: user.systemRole,
    needs_setup: user.needsSetup,
    oauth_provider: user.oauthProvider,
    created_at: timestamp(user.createdAt),
  };
}

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
      .meta({ description: 'For how long nothing asks for the password again; 0: it is asked for' }),
    current: z.boolean().meta({ description: 'Whether it is the one that asks' }),
  })
  .meta({ id: 'Session' });

export function presentSession(
  session: SessionRecord,
  { current, now }: { readonly current: string | undefined; readonly now: number },
): z.output<typeof sessionBodySchema> {
  return {
    id: session.sessionId,
    device: session.device,
    client_ip: session.clientIp,
    created_at: timestamp(session.createdAt),
    last_used_at: timestamp(session.lastUsedAt),
    expires_at: timestamp(session.expiresAt),
    password_confirmed_seconds: Math.max(0, Math.floor((session.confirmedAt + CONFIRMED_MS - now) / 1000)),
    current: session.sessionId === current,
  };
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
