// Converts an account's row to the record of the port.
import type { Selectable } from 'kysely';
import type { UserRecord } from '../../users.ts';
import type { UsersTable } from '../database/account-tables.ts';
import type { Connection } from '../database/database.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { firstOf } from '../database/results.ts';

export function findUser(db: Connection, column: 'id' | 'email_key', value: string) {
  return firstOf(db.selectFrom('users').selectAll().where(column, '=', value), toUser);
}

export const USER = plainColumns([
  'id',
  'email',
  'password_hash',
  'system_role',
  'token_version',
  'oauth_provider',
  'oauth_id',
  'created_at',
]);

export function toUser(row: Selectable<UsersTable>): UserRecord {
  return { ...USER.fieldsOf(row), needsSetup: row.needs_setup !== 0 };
}
