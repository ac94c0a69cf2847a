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
  const { shares } = claim;
  const withRoom = ofUsersWithRoom(shares);
  const taken = new ClaimedRuns(limit, shares);
  const find = (which: RawBuilder<SqlBool>, most: number) =>
    findClaimable({ database, trx, limit: most }, sql<SqlBool>`${which} and ${withRoom}`);
  if (runIds === undefined) await sweep(trx, claim, { taken, find });
  else taken.take(await find(askedFor(claim, runIds), runIds.length));
  return take(trx, claim, taken.ids);
}

type Find = (which: RawBuilder<SqlBool>, most: number) => Promise<readonly Claimable[]>;

/** All of those that are asked for, whatever the limit: those of a user without room must not hide those of another. */
function askedFor(claim: RunClaim, runIds: readonly string[]): RawBuilder<SqlBool> {
  const { normal } = suspicion(claim);
  const claimable = sql<SqlBool>`(${expiredFor(claim)} or ${startableAt(claim.now)})`;
  return sql<SqlBool>`run_id in (${sql.join(runIds)}) and ${claimable} and ${normal}`;
}

async function sweep(
  trx: WriteTransaction,
  claim: RunClaim,
  { taken, find }: { readonly taken: ClaimedRuns; readonly find: Find },
): Promise<void> {
  const { normal, suspect, suspects } = suspicion(claim);
  const expired = expiredFor(claim);
  // Most sweeps find nothing, and this look is an entry each of two small indexes.
  const { hasExpired, hasWaiting } = await glance(trx, expired);
  let doubtful = 0;
  if (hasExpired) {
    taken.take(await find(sql<SqlBool>`${expired} and ${normal}`, taken.left));
    const left = Math.min(suspects, taken.left);
    doubtful = taken.take(await find(sql<SqlBool>`${expired} and ${suspect}`, left));
  }
  if (!hasWaiting) return;
  const startable = startableAt(claim.now);
  const waiting = sql<SqlBool>`${startable} and ${normal}`;
  await takeWaiting(trx, taken, {
    waiting,
    after: claim.shares?.after,
    withRoom: ofUsersWithRoom(claim.shares),
    find,
  });
  const left = Math.min(suspects - doubtful, taken.left);
  taken.take(await find(sql<SqlBool>`${startable} and ${suspect}`, left));
}

async function glance(trx: WriteTransaction, expired: RawBuilder<SqlBool>) {
  const { rows } = await sql<{ readonly expired: number | boolean; readonly waiting: number | boolean }>`
    select exists (select 1 from runs where ${expired}) as expired,
      exists (select 1 from runs where status = 'pending') as waiting
  `.execute(trx);
  return { hasExpired: Boolean(rows[0]?.expired), hasWaiting: Boolean(rows[0]?.waiting) };
}

/** Oldest first while there is room for all that wait; users take turns when there is not. */
async function takeWaiting(trx: WriteTransaction, taken: ClaimedRuns, turns: Turns): Promise<void> {
  if (taken.left <= 0) return;
  const found = await turns.find(turns.waiting, taken.left + 1);
  if (turns.after === undefined || found.length <= taken.left) taken.take(found);
  else await takeInTurns(trx, taken, turns);
}

async function cancelRequests(db: Connection, leaseOwner: string): Promise<readonly CancelRequest[]> {
  const mine = db.selectFrom('runs').select(['run_id', 'cancel_stop_reason']).where(RUNNING);
  const asked = mine.where('lease_owner', '=', leaseOwner).where('cancel_stop_reason', 'is not', null);
  return (await asked.execute()).flatMap(({ run_id: runId, cancel_stop_reason: stopReason }) =>
    stopReason === null ? [] : [{ runId, stopReason }],
  );
}

/** Which runs are taken without a second thought, which are suspects, and how many of those may be taken. */
function suspicion({ suspects }: RunClaim) {
  if (suspects === undefined)
    return { normal: sql<SqlBool>`1 = 1`, suspect: sql<SqlBool>`1 = 0`, suspects: 0 };
  const suspect = sql<SqlBool>`(attempt >= ${suspects.fromAttempt} and cancel_stop_reason is null)`;
  return { normal: sql<SqlBool>`not ${suspect}`, suspect, suspects: suspects.limit };
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

interface Turns {
  readonly waiting: RawBuilder<SqlBool>;
  readonly withRoom: RawBuilder<SqlBool>;
  /** Absent: nobody shares. */
  readonly after: string | undefined;
  readonly find: Find;
}

/** Each user with runs that may start gets as many as fall to it, in turns; what one does not need is there for the next. */
async function takeInTurns(
  trx: WriteTransaction,
  taken: ClaimedRuns,
  { waiting, withRoom, after = '', find }: Turns,
): Promise<void> {
  const claimable = sql<SqlBool>`${waiting} and ${withRoom}`;
  const users = await usersInTurn(trx, claimable, { after, most: taken.left });
  for (const [index, userId] of users.entries()) {
    const fair = Math.ceil(taken.left / (users.length - index));
    const own = userId === null ? sql<SqlBool>`user_id is null` : sql<SqlBool>`user_id = ${userId}`;
    const room = taken.roomOf(userId);
    // Runs that are only to be ended need no place: they are why a user without room is among these.
    const which = room > 0 ? own : sql<SqlBool>`${own} and cancel_stop_reason is not null`;
    taken.take(await find(sql<SqlBool>`${which} and ${waiting}`, room > 0 ? Math.min(fair, room) : fair));
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
