// Schedules of one owner, in SQL.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ClaimedFire, ManualFire, ScheduleRecord, ScheduleRepository } from '../../schedules.ts';
import type { Owner } from '../../storage.ts';
import { hasAccount } from '../database/account-lock.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { userOf, writableBy } from '../database/owner-filter.ts';
import { allOf, firstOf, isAny } from '../database/results.ts';
import {
  definitionRow,
  firesWithRuns,
  insertFire,
  isUnderWay,
  ofRun,
  toClaimed,
  toFire,
  toSchedule,
  toScheduleRow,
} from './schedule-rows.ts';

export function createScheduleRepository(database: Database, owner: Owner): ScheduleRepository {
  const mine = writableBy(owner, 'user_id');
  return {
    ...reading(database, mine),

    create: (schedule, most) =>
      database.write(async (trx) => {
        const userId = userOf(owner, 'a schedule');
        // Of two that are made at once, and of an account that is being deleted, one waits here.
        if (!(await hasAccount(database, trx, userId))) return 'no_account';
        const { count } = trx.fn;
        const counted = trx.selectFrom('schedules').select(count('schedule_id').as('n')).where(mine);
        const { n } = await counted.executeTakeFirstOrThrow();
        if (Number(n) >= most) return 'too_many';
        await trx
          .insertInto('schedules')
          .values(toScheduleRow({ ...schedule, userId }))
          .execute();
        return 'created';
      }),

    update: (scheduleId, { definition, pausedBecause, nextRunAt, now }) =>
      database.write((trx) => {
        const updated = trx
          .updateTable('schedules')
          .set({
            ...(definition && definitionRow(definition)),
            next_run_at: nextRunAt,
            paused_because: pausedBecause,
            updated_at: now,
          })
          .where('schedule_id', '=', scheduleId)
          .where(mine);
        return firstOf(updated.returningAll(), toSchedule);
      }),

    delete: (scheduleId) =>
      database.write((trx) => {
        const gone = trx.deleteFrom('schedules').where('schedule_id', '=', scheduleId).where(mine);
        return isAny(gone.returning('schedule_id'));
      }),

    fireNow: (scheduleId, fire) =>
      database.write(async (trx) => {
        const row = await database.locked(found(trx, mine, scheduleId)).executeTakeFirst();
        if (row === undefined) return 'absent';
        return (await isUnderWay(trx, scheduleId)) ? 'running' : fireByHand(trx, toSchedule(row), fire);
      }),
  };
}

function reading(database: Database, mine: RawBuilder<SqlBool>) {
  return {
    list: () =>
      database.read((db) => {
        const all = db.selectFrom('schedules').selectAll().where(mine);
        return allOf(all.orderBy('created_at').orderBy('schedule_id'), toSchedule);
      }),

    get: (scheduleId) => database.read((db) => firstOf(found(db, mine, scheduleId), toSchedule)),

    fires: (scheduleId, { limit, before }) =>
      database.read(async (db) => {
        if (!(await isAny(found(db, mine, scheduleId)))) return [];
        const own = firesWithRuns(db).where('schedule_fires.schedule_id', '=', scheduleId);
        const older = before === undefined ? own : own.where('schedule_fires.slot', '<', before);
        return allOf(older.orderBy('schedule_fires.slot', 'desc').limit(limit), toFire);
      }),

    lastFires: () =>
      database.read(async (db) => {
        const own = db.selectFrom('schedules').select('schedule_id').where(mine);
        const newest = sql<SqlBool>`schedule_fires.slot = (
          select max(slot) from schedule_fires as other
          where other.schedule_id = schedule_fires.schedule_id and other.status <> 'skipped')`;
        const fires = firesWithRuns(db).where('schedule_fires.schedule_id', 'in', own).where(newest);
        return new Map(await allOf(fires, (row) => [row.schedule_id, toFire(row)] as const));
      }),
  } satisfies Partial<ScheduleRepository>;
}

function found(db: Connection, mine: RawBuilder<SqlBool>, scheduleId: string) {
  return db.selectFrom('schedules').selectAll().where('schedule_id', '=', scheduleId).where(mine);
}

/** Two in one millisecond are two moments; the second is never far from the first. */
const MOMENTS_TRIED = 100;

async function fireByHand(
  trx: WriteTransaction,
  schedule: ScheduleRecord,
  { now, newThreadId, leaseUntil }: ManualFire,
): Promise<ClaimedFire> {
  const fire = {
    schedule_id: schedule.scheduleId,
    user_id: schedule.userId,
    is_manual: 1,
    status: 'waiting',
    thread_id: schedule.threadId ?? newThreadId,
    attempts: 1,
    leased_until: leaseUntil,
    created_at: now,
  } as const;
  for (let slot = now; slot < now + MOMENTS_TRIED; slot += 1)
    if (await insertFire(trx, { ...fire, slot })) return toClaimed(schedule, { ...fire, slot });
  throw new Error('no moment was free for a run of a schedule');
}

/** With the thread, in its transaction: its schedules say why they do not run any more, and nothing names it. */
export async function partSchedulesFrom(trx: WriteTransaction, threadId: string): Promise<void> {
  await trx
    .updateTable('schedules')
    .set({ paused_because: 'thread_deleted', next_run_at: null, thread_id: null })
    .where('thread_id', '=', threadId)
    .execute();
  await sql`update schedule_fires set thread_id = null, run_id = null,
    status = case status when 'waiting' then 'refused' when 'started' then 'ended' else status end,
    reason = case status when 'waiting' then 'thread_deleted' when 'started' then ${ofRun('stop_reason')} else reason end,
    run_status = case status when 'started' then ${ofRun('status')} else run_status end
    where thread_id = ${threadId}`.execute(trx);
}
