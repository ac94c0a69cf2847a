// A session as its user sees it: never its token.
import { z } from 'zod';
import type { SessionRecord } from '../../storage/sessions.ts';
import { CONFIRMED_MS } from '../access/own-session.ts';
import { timestamp } from './timestamp.ts';
import { timeField } from './wire-fields.ts';

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
