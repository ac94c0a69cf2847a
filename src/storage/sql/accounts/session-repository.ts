// Sessions of one owner, and the lookup for every request, in SQL.
import { type Selectable, sql } from 'kysely';
import type { SessionRegistry, SessionRepository } from '../../sessions.ts';
import type { Owner } from '../../storage.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import type { UsersTable } from '../database/account-tables.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { stampOf, writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, apply, isAny } from '../database/results.ts';
import { toUser } from './user-rows.ts';

const SESSION = plainColumns([
  'session_id',
  'user_id',
  'created_at',
  'last_used_at',
  'expires_at',
  'confirmed_at',
  'device',
  'client_ip',
]);

export function createSessionRepository(
  database: Database,
  appendAudit: AppendAudit,
  owner: Owner,
): SessionRepository {
  const mine = writableBy(owner, 'user_id');
  const actor = stampOf(owner);
  const by = (clientIp: string | undefined) => ({ actor, clientIp: clientIp ?? null });
  return {
    list: (now) =>
      database.read((db) => {
        const live = db.selectFrom('sessions').selectAll().where(mine).where('expires_at', '>', now);
        return allOf(live.orderBy('last_used_at', 'desc').orderBy('session_id', 'desc'), SESSION.fieldsOf);
      }),

    end: (sessionId, clientIp) =>
      database.write(async (trx) => {
        const ended = await isAny(deletion(trx, sessionId).where(mine));
        if (ended) await appendAudit(trx, { act: 'session_end', ...by(clientIp), subject: sessionId });
        return ended;
      }),

    endOthers: (sessionId, clientIp) =>
      database.write(async (trx) => {
        const others = trx.deleteFrom('sessions').where(mine).where('session_id', '!=', sessionId);
        const ended = await others.returning('session_id').execute();
        if (ended.length === 0) return 0;
        const details = { sessions: ended.length };
        await appendAudit(trx, { act: 'sessions_end', ...by(clientIp), subject: actor, details });
        return ended.length;
      }),
  };
}

/** An account, with the times of one of its sessions, if it exists. */
type FoundRow = Selectable<UsersTable> & {
  readonly [Time in 'last_used_at' | 'confirmed_at']: number | null;
};

const FIND_SESSION = (_: Connection, { userId, sessionId }: { userId: string; sessionId: string }) =>
  sql<FoundRow>`
    select users.*, sessions.last_used_at, sessions.confirmed_at from users
    left join sessions on sessions.session_id = ${sessionId} and sessions.user_id = users.id
    where users.id = ${userId}`;

export function createSessionRegistry(database: Database, appendAudit: AppendAudit): SessionRegistry {
  const raise = (sessionId: string, column: 'last_used_at' | 'confirmed_at', at: number) =>
    database.write((trx) => {
      const session = trx.updateTable('sessions').where('session_id', '=', sessionId).where(column, '<', at);
      return apply(session.set({ [column]: at }));
    });
  return {
    open: (session, most) =>
      database.write(async (trx) => {
        const { userId, clientIp } = session;
        const own = trx.deleteFrom('sessions').where('user_id', '=', userId);
        await own.where('expires_at', '<=', session.createdAt).execute();
        const kept = trx
          .selectFrom('sessions')
          .select('session_id')
          .where('user_id', '=', userId)
          .orderBy(sql`case when last_used_at > created_at then 1 else 0 end`, 'desc')
          .orderBy('last_used_at', 'desc')
          .orderBy('session_id', 'desc')
          .limit(most - 1);
        const displaced = own.where('session_id', 'not in', kept).returning('session_id');
        const { length: sessions } = await displaced.execute();
        await trx.insertInto('sessions').values(SESSION.columnsOf(session)).execute();
        if (sessions === 0) return;
        const details = { sessions, reason: 'too_many' };
        await appendAudit(trx, { act: 'sessions_end', actor: userId, clientIp, subject: userId, details });
      }),

    // Runs as that user, on a connection that the following statements of the request can use.
    find: (userId, sessionId) =>
      database.ownedBy(userId).read(async (db) => {
        const [row] = await database.run(db, FIND_SESSION, { userId, sessionId });
        if (row === undefined) return undefined;
        const { last_used_at: lastUsedAt, confirmed_at: confirmedAt } = row;
        const found = lastUsedAt !== null && confirmedAt !== null;
        return { user: toUser(row), session: found ? { lastUsedAt, confirmedAt } : undefined };
      }),

    live: (sessionIds) =>
      database.read(async (db) => {
        if (sessionIds.length === 0) return new Map();
        const sessions = db
          .selectFrom('sessions')
          .innerJoin('users', 'users.id', 'sessions.user_id')
          .select(['sessions.session_id', 'users.token_version'])
          .where('sessions.session_id', 'in', sessionIds);
        return new Map(await allOf(sessions, (row) => [row.session_id, row.token_version] as const));
      }),

    markUsed: (sessionId, at) => raise(sessionId, 'last_used_at', at),

    confirm: (sessionId, at) => raise(sessionId, 'confirmed_at', at),

    end: (sessionId) => database.write((trx) => isAny(deletion(trx, sessionId))),
  };
}

function deletion(trx: WriteTransaction, sessionId: string) {
  return trx.deleteFrom('sessions').where('session_id', '=', sessionId).returning('session_id');
}

/** Ends every session of the account, in the caller's transaction. */
export async function endSessionsOf(trx: WriteTransaction, userId: string): Promise<void> {
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}
