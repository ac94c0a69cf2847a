// An account as its owner sees it: never the hash, never the version.
import { z } from 'zod';
import type { UserRecord } from '../../storage/users.ts';
import { timestamp } from './timestamp.ts';
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
