// The notes that deletions of accounts leave, in SQL.
import type { AccountRemovals } from '../../users.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import { PERSONAL_TABLES } from '../database/account-tables.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { takeNotes } from '../database/due-notes.ts';
import { allOf, apply, isAny } from '../database/results.ts';
import { toThread } from '../threads/thread-rows.ts';
import { endSessionsOf } from './session-repository.ts';

export function createAccountRemovals(database: Database, appendAudit: AppendAudit): AccountRemovals {
  return {
    begin: (user, { now, takenUntil, actor, clientIp }) =>
      database.write(async (trx) => {
        const gone = await deleteAccount(database, trx, user);
        if (gone !== 'deleted') return gone;
        await endSessionsOf(trx, user.id);
        // A request that is about to write into the account's folder finds its claim gone.
        await trx.deleteFrom('skill_claims').where('user_id', '=', user.id).execute();
        // No schedule runs for a deleted account.
        await trx.deleteFrom('schedules').where('user_id', '=', user.id).execute();
        const note = { user_id: user.id, deleted_at: now, taken_until: takenUntil };
        await trx.insertInto('account_removals').values(note).execute();
        await appendAudit(trx, { act: 'account_delete', actor, clientIp, subject: user.id });
        return { userId: user.id, takenUntil };
      }),

    take: async (claim) => {
      const taken = await takeNotes(database, { table: 'account_removals', id: 'user_id' }, claim);
      return taken.map(({ id }) => ({ userId: id, takenUntil: claim.takenUntil }));
    },

    threads: (userId, limit) =>
      database.read((db) => {
        const own = db.selectFrom('threads').selectAll().where('user_id', '=', userId);
        return allOf(own.orderBy('thread_id').limit(limit), toThread);
      }),

    clear: async (userId) => {
      await database.write(async (trx) => {
        for (const table of PERSONAL_TABLES)
          await trx.deleteFrom(table).where('user_id', '=', userId).execute();
        const imports = trx.updateTable('thread_imports').set({ taken_until: 0, abandoned: 1 });
        await imports.where('user_id', '=', userId).execute();
      });
      await database.reclaimSpace();
    },

    done: ({ userId, takenUntil }, deletedBefore) =>
      database.write((trx) => {
        const gone = trx.deleteFrom('account_removals').where('user_id', '=', userId);
        const mine = gone.where('taken_until', '=', takenUntil);
        return apply(mine.where('deleted_at', '<=', deletedBefore));
      }),
  };
}

/** Deletes the account. Of two administrators deleted concurrently, one stays. */
async function deleteAccount(
  database: Database,
  trx: WriteTransaction,
  { id, tokenVersion }: { readonly id: string; readonly tokenVersion: number },
): Promise<'deleted' | 'last_admin' | 'stale'> {
  const admins = trx.selectFrom('users').select('id').where('system_role', '=', 'admin').orderBy('id');
  const adminIds = await allOf(database.locked(admins), (row) => row.id);
  if (adminIds.length === 1 && adminIds[0] === id) return 'last_admin';
  const account = trx.deleteFrom('users').where('id', '=', id).where('token_version', '=', tokenVersion);
  return (await isAny(account.returning('id'))) ? 'deleted' : 'stale';
}
