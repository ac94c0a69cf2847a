// Who executes a run, decided by rows.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CancelRequest, LeaseClaim, RunClaim, RunLeases } from '../run-leases.ts';
import type { RunRecord } from '../runs.ts';
import type { Connection, Database, WriteTransaction } from './database.ts';
import { type Claimable, ClaimedRuns, ofUsersWithRoom, usersInTurn } from './fair-claim.ts';
import { numbersFrom } from './run-numbers.ts';
import { toRun } from './run-rows.ts';

// Literal statuses in this file, so that the partial indexes are used.
const RUNNING = sql<SqlBool>`status = 'running'`;

export function createRunLeases(database: Database): RunLeases {
  return {
    claim: (claim, limit, runIds) =>
      database.write((trx) => claimRuns({ database, trx }, claim, { limit, runIds })),

    nextStart: (now) =>
      database.read(async (db) => {
        const waiting = db.selectFrom('runs').select('start_after').where(sql<SqlBool>`status = 'pending'`);
        const next = await waiting
          .where('start_after', '>', now)
          .orderBy('start_after')
          .limit(1)
          .executeTakeFirst();
        return next?.start_after ?? undefined;
      }),

    renew: (claim) =>
      database.write(async (trx) => {
        // Locked in the order of the group commit, so that the two never wait for each other in a circle.
        const mine = trx.selectFrom('runs').select('run_id').where(RUNNING);
        const inOrder = mine.where('lease_owner', '=', claim.leaseOwner).orderBy('run_id');
        if ((await database.locked(inOrder).execute()).length === 0) return [];
        const renewed = trx.updateTable('runs').set({ lease_until: claim.leaseUntil }).where(RUNNING);
        const query = renewed.where('lease_owner', '=', claim.leaseOwner).returning('run_id');
        return (await query.execute()).map((row) => row.run_id);
      }),

    cancelRequests: (leaseOwner) => database.read((db) => cancelRequests(db, leaseOwner)),

    release: (runId, attempt, now) =>
      database.write(async (trx) => {
        await trx
          .updateTable('runs')
          .set({
            status: 'pending',
            attempt: attempt - 1,
            lease_owner: null,
            lease_until: null,
            updated_at: now,
          })
          .where(RUNNING)
          .where('run_id', '=', runId)
          .where('attempt', '=', attempt)
          .execute();
      }),

    giveUp: (leaseOwner, runIds, now) =>
      database.write(async (trx) => {
        const given = trx
          .updateTable('runs')
          .set({ lease_owner: null, lease_until: now - 1 })
          .where(RUNNING);
        await given.where('lease_owner', '=', leaseOwner).where('run_id', 'in', runIds).execute();
      }),

    expireOthers: (leaseOwner, now) =>
      database.write(async (trx) => {
        const query = trx.updateTable('runs').set({ lease_until: now - 1 });
        const others = query.where(RUNNING).where('lease_owner', '!=', leaseOwner);
        return (await others.returning('run_id').execute()).length;
      }),
  };
}

interface Claiming {
  readonly database: Database;
  readonly trx: WriteTransaction;
}

async function claimRuns(
  { database, trx }: Claiming,
  claim: RunClaim,
  { limit, runIds }: { readonly limit: number; readonly runIds: readonly string[] | undefined },
): Promise<readonly RunRecord[]> {
  const { normal, suspect, suspects } = suspicion(claim, runIds);
  const { shares } = claim;
  const withRoom = ofUsersWithRoom(shares);
  const taken = new ClaimedRuns(limit, shares);
  const find = (which: RawBuilder<SqlBool>, most: number) =>
    findClaimable({ database, trx, limit: most }, sql<SqlBool>`${which} and ${withRoom}`);
  const expired = expiredFor(claim);
  taken.take(await find(sql<SqlBool>`${expired} and ${normal}`, taken.left));
  const doubtful = taken.take(
    await find(sql<SqlBool>`${expired} and ${suspect}`, Math.min(suspects, taken.left)),
  );
  // Most sweeps find nothing, and this look is an entry of a small index.
  if (runIds === undefined && !(await hasWaiting(trx))) return take(trx, claim, taken.ids);
  const startable = startableAt(claim.now);
  const waiting = sql<SqlBool>`${startable} and ${normal} and ${withRoom}`;
  if (shares !== undefined && runIds === undefined) {
    const ofUser = (own: RawBuilder<SqlBool>, most: number) =>
      find(sql<SqlBool>`${own} and ${waiting}`, most);
    await takeInTurns(trx, taken, { claimable: waiting, after: shares.after, find: ofUser });
  } else {
    // Of runs that are asked for by their ids, those of one user must not hide those of another.
    taken.take(await find(waiting, shares === undefined ? taken.left : (runIds?.length ?? 0)));
  }
  const left = Math.min(suspects - doubtful, taken.left);
  taken.take(await find(sql<SqlBool>`${startable} and ${suspect}`, left));
  return take(trx, claim, taken.ids);
}

async function hasWaiting(trx: WriteTransaction): Promise<boolean> {
  const { rows } = await sql`select 1 from runs where status = 'pending' limit 1`.execute(trx);
  return rows.length > 0;
}

async function cancelRequests(db: Connection, leaseOwner: string): Promise<readonly CancelRequest[]> {
  const mine = db.selectFrom('runs').select(['run_id', 'cancel_stop_reason']).where(RUNNING);
  const asked = mine.where('lease_owner', '=', leaseOwner).where('cancel_stop_reason', 'is not', null);
  return (await asked.execute()).flatMap(({ run_id: runId, cancel_stop_reason: stopReason }) =>
    stopReason === null ? [] : [{ runId, stopReason }],
  );
}

/** Which runs are taken without a second thought, which are suspects, and how many of those may be taken. */
function suspicion({ suspects }: RunClaim, runIds: readonly string[] | undefined) {
  const asked = runIds === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`run_id in (${sql.join(runIds)})`;
  if (suspects === undefined) return { normal: asked, suspect: sql<SqlBool>`1 = 0`, suspects: 0 };
  const suspect = sql<SqlBool>`(attempt >= ${suspects.fromAttempt} and cancel_stop_reason is null)`;
  const normal = sql<SqlBool>`${asked} and not ${suspect}`;
  return { normal, suspect, suspects: runIds === undefined ? suspects.limit : 0 };
}

function expiredFor({ leaseOwner, now }: LeaseClaim): RawBuilder<SqlBool> {
  return sql<SqlBool>`status = 'running' and lease_until < ${now} and lease_owner is distinct from ${leaseOwner}`;
}

/** Pending, due, and first in line on a thread where nothing runs. Runs that are not due stand in nobody's way. */
function startableAt(now: number): RawBuilder<SqlBool> {
  const due = (start: 'runs.start_after' | 'other.start_after') =>
    sql<SqlBool>`(${sql.ref(start)} is null or ${sql.ref(start)} <= ${now})`;
  return sql<SqlBool>`status = 'pending' and ${due('runs.start_after')} and not exists (
    select 1 from runs as other
    where other.thread_id = runs.thread_id and other.status in ('pending', 'running') and (
      other.status = 'running'
      or ((other.created_at, other.run_id) < (runs.created_at, runs.run_id) and ${due('other.start_after')})
    )
  )`;
}

/** Each user with runs that may start gets as many as fall to it, in turns; what one does not need is there for the next. */
async function takeInTurns(
  trx: WriteTransaction,
  taken: ClaimedRuns,
  turns: {
    readonly claimable: RawBuilder<SqlBool>;
    readonly after: string;
    readonly find: (which: RawBuilder<SqlBool>, most: number) => Promise<readonly Claimable[]>;
  },
): Promise<void> {
  if (taken.left <= 0) return;
  const users = await usersInTurn(trx, turns.claimable, { after: turns.after, most: taken.left });
  for (const [index, userId] of users.entries()) {
    const fair = Math.ceil(taken.left / (users.length - index));
    const own = userId === null ? sql<SqlBool>`user_id is null` : sql<SqlBool>`user_id = ${userId}`;
    const room = taken.roomOf(userId);
    // Runs that are only to be ended need no place: they are why a user without room is among these.
    const which = room > 0 ? own : sql<SqlBool>`${own} and cancel_stop_reason is not null`;
    taken.take(await turns.find(which, room > 0 ? Math.min(fair, room) : fair));
  }
}

/** Oldest first. Rows that another process is claiming at this moment are passed over. */
async function findClaimable(
  query: { readonly database: Database; readonly trx: WriteTransaction; readonly limit: number },
  condition: RawBuilder<SqlBool>,
): Promise<readonly Claimable[]> {
  const { database, trx, limit } = query;
  if (limit <= 0) return [];
  const skipLocked = database.name === 'postgres' ? sql` for update skip locked` : sql``;
  const { rows } = await sql<Claimable>`
    select run_id, user_id, cancel_stop_reason is not null as is_cancelled
    from runs where ${condition} order by created_at, run_id limit ${limit}${skipLocked}
  `.execute(trx);
  return rows;
}

async function take(trx: WriteTransaction, claim: LeaseClaim, runIds: readonly string[]) {
  if (runIds.length === 0) return [];
  const rows = await trx
    .updateTable('runs')
    .set((eb) => ({
      status: 'running',
      attempt: eb('attempt', '+', 1),
      lease_owner: claim.leaseOwner,
      lease_until: claim.leaseUntil,
      started_at: eb.fn.coalesce('started_at', eb.val(claim.now)),
      numbers_from: eb.fn.coalesce('numbers_from', numbersFrom(claim.now)),
      updated_at: claim.now,
    }))
    .where('run_id', 'in', runIds)
    .returningAll()
    .execute();
  const order = new Map(runIds.map((id, index) => [id, index]));
  return rows.map(toRun).sort((a, b) => (order.get(a.runId) ?? 0) - (order.get(b.runId) ?? 0));
}
