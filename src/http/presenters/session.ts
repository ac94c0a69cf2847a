// A session as its user sees it: never its token.
import { z } from 'zod';
import type { SessionRecord } from '../../storage/sessions.ts';
import { CONFIRMED_MS } from '../own-session.ts';
import { timestamp } from './timestamp.ts';

export const sessionBodySchema = z
  .object({
    id: z.string(),
    device: z.string().meta({ description: 'In plain words, such as "Firefox on Linux"' }),
    client_ip: z.string().meta({ description: 'Where it was opened from' }),
    created_at: z.string(),
    last_used_at: z.string().meta({ description: 'To within five minutes' }),
    expires_at: z.string(),
    password_confirmed_until: z
      .string()
      .meta({ description: 'Until when nothing asks for the password again' }),
    current: z.boolean().meta({ description: 'Whether it is the one that asks' }),
  })
  .meta({ id: 'Session' });

export function presentSession(
  session: SessionRecord,
  { current }: { readonly current: string | undefined },
): z.output<typeof sessionBodySchema> {
  return {
    id: session.sessionId,
    device: session.device,
    client_ip: session.clientIp,
    created_at: timestamp(session.createdAt),
    last_used_at: timestamp(session.lastUsedAt),
    expires_at: timestamp(session.expiresAt),
    password_confirmed_until: timestamp(session.confirmedAt + CONFIRMED_MS),
    current: session.sessionId === current,
  };
}
