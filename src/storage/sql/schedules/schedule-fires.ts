// Slots of all schedules, in SQL.
import { type SqlBool, sql } from 'kysely';
import type {
  ClaimedFire,
  FireClaim,
  FireRefusal,
  ScheduleFires,
  ScheduleRecord,
  SlotDecision,
} from '../../schedules.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { allOf, apply, firstOf, isAny } from '../database/results.ts';
import type { ScheduleFiresTable } from '../database/tables.ts';
import { insertFire, isUnderWay, ofRun, STARTED, toClaimed, toSchedule, WAITING } from './schedule-rows.ts';

export function createScheduleFires(database: Database): ScheduleFires {
  return {
    work: (now) =>
      database.read(async (db) => {
        const [found] = await database.run(db, FIND_WORK, { now });
        const times = [found?.next_slot, found?.next_fire].filter((at) => at != null);
        return {
          hasDue: Boolean(found?.due),
          hasWaiting: Boolean(found?.waiting),
          hasStarted: Boolean(found?.started),
          nextAt: times.length === 0 ? undefined : Math.min(...times),
        };
      }),

    due: (now, limit) =>
      database.read((db) => {
        const turns = db
          .selectFrom('schedules')
          .selectAll()
          .select(sql<number>`row_number() over (partition by user_id order by next_run_at)`.as('turn'))
          .where('next_run_at', '<=', now);
        const fair = db.selectFrom(turns.as('due')).selectAll().orderBy('turn').orderBy('next_run_at');
        return allOf(fair.orderBy('schedule_id').limit(limit), toSchedule);
      }),

    decide: (schedule, decision) => database.write((trx) => decide(trx, schedule, decision)),

    async claim(claim) {
      // Most looks find nothing, and need no transaction.
      const ids = await database.read((db) => fireIds(db, claim));
      return ids.length === 0 ? [] : database.write((trx) => claimFires(trx, ids, claim));
    },

    started: async (fire, { runId, threadId }) => {
      const run = { run_id: runId, thread_id: threadId };
      const row = { ...run, status: 'started', reason: null, detail: null, leased_until: 0 } as const;
      await database.write((trx) => updateFire(trx, fire, row));
    },

    again: async (fire, at, { reason, detail }) => {
      await database.write((trx) => updateFire(trx, fire, { next_at: at, leased_until: 0, reason, detail }));
    },

    refuse: (fire, refusal) => database.write((trx) => refuse(trx, fire, refusal)),

    settle: async (now) => {
      await database.write((trx) => SETTLE(now).execute(trx));
    },

    freeAll: () =>
      database.write((trx) =>
        apply(trx.updateTable('schedule_fires').set({ leased_until: 0 }).where(WAITING)),
      ),
  };
}

type Work = Readonly<
  Record<'due' | 'waiting' | 'started', number | boolean> & Record<'next_slot' | 'next_fire', number | null>
>;

const FIND_WORK = (_: Connection, { now }: { now: number }) => sql<Work>`
  select exists (select 1 from schedules where next_run_at <= ${now}) as due,
    exists (select 1 from schedule_fires where ${WAITING} and next_at <= ${now}) as waiting,
    exists (select 1 from schedule_fires where ${STARTED}) as started,
    (select min(next_run_at) from schedules where next_run_at > ${now}) as next_slot,
    (select min(next_at) from schedule_fires where ${WAITING} and next_at > ${now}) as next_fire`;

/** Of all who decide about the slot, the one counts that moves the schedule on. */
async function decide(
  trx: WriteTransaction,
  { scheduleId }: ScheduleRecord,
  { slot, outcome, nextRunAt, newThreadId, now, kept }: SlotDecision,
): Promise<boolean> {
  const row = await trx
    .updateTable('schedules')
    .set({ next_run_at: nextRunAt })
    .where('schedule_id', '=', scheduleId)
    .where('next_run_at', '=', slot)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return false;
  const fire = { schedule_id: scheduleId, slot, user_id: row.user_id, is_manual: 0, created_at: now };
  const overlaps = outcome === 'run' && (await isUnderWay(trx, scheduleId));
  const reason = overlaps ? 'still_running' : 'missed';
  if (outcome === 'run' && !overlaps)
    await insertFire(trx, { ...fire, status: 'waiting', thread_id: row.thread_id ?? newThreadId });
  else await insertFire(trx, { ...fire, status: 'skipped', reason, ended_at: now });
  await forgetOld(trx, scheduleId, kept);
  return true;
}

async function forgetOld(trx: WriteTransaction, scheduleId: string, kept: number): Promise<void> {
  await sql`delete from schedule_fires where schedule_id = ${scheduleId}
    and status in ('ended', 'skipped', 'refused') and slot < (
      select slot from schedule_fires where schedule_id = ${scheduleId}
      order by slot desc limit 1 offset ${kept - 1})`.execute(trx);
}

type FireId = Pick<ScheduleFiresTable, 'schedule_id' | 'slot'>;

/** One of each user who has room, those that wait longest first. */
async function fireIds(
  db: Connection,
  { now, limit, perUser, atOnce }: FireClaim,
): Promise<readonly FireId[]> {
  const { rows: users } = await sql<{ user_id: string; n: number }>`
    select user_id, count(*) as n from schedule_fires
    where ${STARTED} or (${WAITING} and leased_until > ${now}) group by user_id`.execute(db);
  const remaining = atOnce - users.reduce((sum, { n }) => sum + Number(n), 0);
  if (remaining <= 0) return [];
  const full = users.flatMap(({ user_id, n }) => (Number(n) < perUser ? [] : [user_id]));
  const withFreePlaces =
    full.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`user_id not in (${sql.join(full)})`;
  const { rows } = await sql<FireId>`
    select schedule_id, slot from (
      select schedule_id, slot, row_number() over (partition by user_id order by slot, schedule_id) as turn
      from schedule_fires where ${WAITING} and next_at <= ${now} and leased_until <= ${now} and ${withFreePlaces}
    ) as ready where turn = 1 order by slot, schedule_id limit ${Math.min(limit, remaining)}`.execute(db);
  return rows;
}

/** Of several processes that found the same fire, one gets it. */
async function claimFires(
  trx: WriteTransaction,
  ids: readonly FireId[],
  { now, leaseUntil }: FireClaim,
): Promise<readonly ClaimedFire[]> {
  const claimed: ClaimedFire[] = [];
  for (const { schedule_id, slot } of ids) {
    const row = await trx
      .updateTable('schedule_fires')
      .set({ attempts: sql<number>`attempts + 1`, leased_until: leaseUntil })
      .where('schedule_id', '=', schedule_id)
      .where('slot', '=', slot)
      .where(WAITING)
      .where('leased_until', '<=', now)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) continue;
    const schedules = trx.selectFrom('schedules').selectAll().where('schedule_id', '=', schedule_id);
    const schedule = await firstOf(schedules, toSchedule);
    if (schedule !== undefined) claimed.push(toClaimed(schedule, row));
  }
  return claimed;
}

async function refuse(
  trx: WriteTransaction,
  fire: ClaimedFire,
  { reason, detail, pause, now }: FireRefusal,
): Promise<void> {
  const row = { status: 'refused', reason, detail, ended_at: now, leased_until: 0 } as const;
  const refused = await updateFire(trx, fire, row);
  if (!refused || pause === undefined) return;
  await trx
    .updateTable('schedules')
    .set({ paused_because: pause, next_run_at: null })
    .where('schedule_id', '=', fire.schedule.scheduleId)
    .where('paused_because', 'is', null)
    .execute();
}

/** Does nothing, and answers `false`, when somebody else has claimed it since. */
function updateFire(
  trx: WriteTransaction,
  { schedule, slot, attempt }: ClaimedFire,
  row: Partial<ScheduleFiresTable>,
): Promise<boolean> {
  const updated = trx
    .updateTable('schedule_fires')
    .set(row)
    .where('schedule_id', '=', schedule.scheduleId)
    .where('slot', '=', slot)
    .where('attempts', '=', attempt)
    .where(WAITING);
  return isAny(updated.returning('slot'));
}

const SETTLE = (now: number) => sql`
  update schedule_fires set status = 'ended', run_status = ${ofRun('status')},
    reason = ${ofRun('stop_reason')}, detail = ${ofRun('error')},
    ended_at = coalesce(${ofRun('finished_at')}, ${now})
  where ${STARTED} and not exists (
    select 1 from runs where runs.run_id = schedule_fires.run_id and runs.status in ('pending', 'running'))`;
