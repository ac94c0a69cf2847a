// An account's row as the record of the port.
import type { Selectable } from 'kysely';
import type { UserRecord } from '../../users.ts';
import type { UsersTable } from '../database/account-tables.ts';
import type { Connection } from '../database/database.ts';

export async function findUser(
  db: Connection,
  column: 'id' | 'email_key',
  value: string,
): Promise<UserRecord | undefined> {
  const row = await db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst();
  return row && toUser(row);
}

export function toUser(row: Selectable<UsersTable>): UserRecord {
  return {
    id: row.id,
    email: row.email,
    passwordHash: row.password_hash,
    systemRole: row.system_role,
    needsSetup: row.needs_setup !== 0,
    tokenVersion: row.token_version,
    oauthProvider: row.oauth_provider,
    oauthId: row.oauth_id,
    createdAt: row.created_at,
  };
}
