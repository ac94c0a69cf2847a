// Sessions of one owner, and the look-up with every request, in SQL.
import { type Selectable, sql } from 'kysely';
import type { SessionRecord, SessionRegistry, SessionRepository } from '../../sessions.ts';
import type { Owner } from '../../storage.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import type { SessionsTable, UsersTable } from '../database/account-tables.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { stampOf, writableBy } from '../database/owner-filter.ts';
import { toUser } from './user-rows.ts';

export function createSessionRepository(
  database: Database,
  appendAudit: AppendAudit,
  owner: Owner,
): SessionRepository {
  const mine = writableBy(owner, 'user_id');
  const actor = stampOf(owner);
  return {
    list: (now) =>
      database.read(async (db) => {
        const live = db.selectFrom('sessions').selectAll().where(mine).where('expires_at', '>', now);
        const rows = await live.orderBy('last_used_at', 'desc').orderBy('session_id', 'desc').execute();
        return rows.map(toSession);
      }),

    end: (sessionId, clientIp) =>
      database.write(async (trx) => {
        const session = trx.deleteFrom('sessions').where('session_id', '=', sessionId).where(mine);
        if ((await session.returning('session_id').executeTakeFirst()) === undefined) return false;
        await appendAudit(trx, {
          act: 'session_end',
          actor,
          clientIp: clientIp ?? null,
          subject: sessionId,
        });
        return true;
      }),

    endOthers: (sessionId, clientIp) =>
      database.write(async (trx) => {
        const others = trx.deleteFrom('sessions').where(mine).where('session_id', '!=', sessionId);
        const ended = await others.returning('session_id').execute();
        if (ended.length === 0) return 0;
        const details = { sessions: ended.length };
        const act = { act: 'sessions_end', actor, clientIp: clientIp ?? null, subject: actor } as const;
        await appendAudit(trx, { ...act, details });
        return ended.length;
      }),
  };
}

/** An account, with the times of a session of it, if there is one. */
type FoundRow = Selectable<UsersTable> & {
  readonly [Time in 'last_used_at' | 'confirmed_at']: number | null;
};

const FIND_SESSION = (queries: Connection, { userId, sessionId }: { userId: string; sessionId: string }) => ({
  compile: () =>
    sql<FoundRow>`
      select users.*, sessions.last_used_at, sessions.confirmed_at from users
      left join sessions on sessions.session_id = ${sessionId} and sessions.user_id = users.id
      where users.id = ${userId}`.compile(queries),
});

export function createSessionRegistry(database: Database, appendAudit: AppendAudit): SessionRegistry {
  return {
    open: async (session, most) => {
      await database.write(async (trx) => {
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
        await trx.insertInto('sessions').values(toRow(session)).execute();
        if (sessions === 0) return;
        const act = { act: 'sessions_end', actor: userId, clientIp, subject: userId } as const;
        await appendAudit(trx, { ...act, details: { sessions, reason: 'too_many' } });
      });
    },

    // As that user, on the connection on which the request that asks goes on.
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
        const rows = await db
          .selectFrom('sessions')
          .innerJoin('users', 'users.id', 'sessions.user_id')
          .select(['sessions.session_id', 'users.token_version'])
          .where('sessions.session_id', 'in', sessionIds)
          .execute();
        return new Map(rows.map((row) => [row.session_id, row.token_version]));
      }),

    markUsed: async (sessionId, at) => {
      await database.write((trx) =>
        trx
          .updateTable('sessions')
          .set({ last_used_at: at })
          .where('session_id', '=', sessionId)
          .where('last_used_at', '<', at)
          .execute(),
      );
    },

    confirm: async (sessionId, at) => {
      await database.write((trx) =>
        trx
          .updateTable('sessions')
          .set({ confirmed_at: at })
          .where('session_id', '=', sessionId)
          .where('confirmed_at', '<', at)
          .execute(),
      );
    },

    end: (sessionId) =>
      database.write(async (trx) => {
        const session = trx.deleteFrom('sessions').where('session_id', '=', sessionId);
        return (await session.returning('session_id').executeTakeFirst()) !== undefined;
      }),
  };
}

/** Every session of the account, in the transaction of what ends them. */
export async function endSessionsOf(trx: WriteTransaction, userId: string): Promise<void> {
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

function toRow(session: SessionRecord): SessionsTable {
  return {
    session_id: session.sessionId,
    user_id: session.userId,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    confirmed_at: session.confirmedAt,
    device: session.device,
    client_ip: session.clientIp,
  };
}

function toSession(row: Selectable<SessionsTable>): SessionRecord {
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    confirmedAt: row.confirmed_at,
    device: row.device,
    clientIp: row.client_ip,
  };
}
