// Accounts in SQL.
import { sql } from 'kysely';
import type { NewAuditEntry } from '../../audit-log.ts';
import type { UserPatch, UserRecord, UserRepository } from '../../users.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import type { UsersTable } from '../database/account-tables.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { firstOf, isAny } from '../database/results.ts';
import { endSessionsOf } from './session-repository.ts';
import { findUser, toUser, USER } from './user-rows.ts';

export function createUserRepository(
  database: Database,
  appendAudit: AppendAudit,
  entry?: NewAuditEntry,
): UserRepository {
  const audit = async (trx: WriteTransaction): Promise<void> => {
    if (entry !== undefined) await appendAudit(trx, entry);
  };

  return {
    audited: (act) => createUserRepository(database, appendAudit, act),

    insert: (user) =>
      database.write(async (trx) => {
        if (!(await inserted(trx, user))) return 'email_taken';
        await audit(trx);
        return 'inserted';
      }),

    insertFirst: (user, when) =>
      database.write(async (trx) => {
        if (database.name === 'postgres')
          await sql`lock table users in share row exclusive mode`.execute(trx);
        const query = trx.selectFrom('users').select('id').limit(1);
        const existing = when === 'no_admin' ? query.where('system_role', '=', 'admin') : query;
        if ((await isAny(existing)) || !(await inserted(trx, user))) return false;
        await audit(trx);
        return true;
      }),

    // Runs as that user, on a connection that the following statements of the request can use.
    get: (id) => database.ownedBy(id).read((db) => findUser(db, 'id', id)),

    findByEmail: (email) => database.read((db) => findUser(db, 'email_key', emailKey(email))),

    findFirstAdmin: () =>
      database.read((db) => {
        const admins = db.selectFrom('users').selectAll().where('system_role', '=', 'admin');
        return firstOf(admins.orderBy('created_at').orderBy('id').limit(1), toUser);
      }),

    update: (id, expectedTokenVersion, patch) =>
      database.write(async (trx) => {
        const query = trx.selectFrom('users').selectAll().where('id', '=', id);
        const current = await database.locked(query).executeTakeFirst();
        if (current?.token_version !== expectedTokenVersion) return 'stale';
        if (patch.email !== undefined && (await isTaken(trx, patch.email, id))) return 'email_taken';
        const values = await applied(trx, id, patch);
        await audit(trx);
        return toUser({ ...current, ...values });
      }),
  };
}

function inserted(trx: WriteTransaction, user: UserRecord): Promise<boolean> {
  const added = trx
    .insertInto('users')
    .values({
      ...USER.columnsOf(user),
      email_key: emailKey(user.email),
      needs_setup: user.needsSetup ? 1 : 0,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing());
  return isAny(added.returning('id'));
}

function isTaken(trx: WriteTransaction, email: string, byOtherThan: string): Promise<boolean> {
  const query = trx.selectFrom('users').select('id').where('email_key', '=', emailKey(email));
  return isAny(query.where('id', '!=', byOtherThan));
}

/** Applies the patch and returns the changed columns. A new token version ends the sessions. */
async function applied(trx: WriteTransaction, id: string, patch: UserPatch): Promise<Partial<UsersTable>> {
  const values = toColumns(patch);
  if (Object.keys(values).length > 0) {
    await trx.updateTable('users').set(values).where('id', '=', id).execute();
  }
  if (patch.tokenVersion !== undefined) await endSessionsOf(trx, id);
  return values;
}

function toColumns(patch: UserPatch): Partial<UsersTable> {
  return {
    ...(patch.email !== undefined && { email: patch.email, email_key: emailKey(patch.email) }),
    ...(patch.passwordHash !== undefined && { password_hash: patch.passwordHash }),
    ...(patch.systemRole !== undefined && { system_role: patch.systemRole }),
    ...(patch.needsSetup !== undefined && { needs_setup: patch.needsSetup ? 1 : 0 }),
    ...(patch.tokenVersion !== undefined && { token_version: patch.tokenVersion }),
  };
}

function emailKey(email: string): string {
  return email.toLowerCase();
}
