// Rows of schedules and their fires as records.
import { type Selectable, type SqlBool, sql } from 'kysely';
import { isTerminal } from '../../runs.ts';
import type {
  ClaimedFire,
  ScheduleDefinition,
  ScheduleFire,
  ScheduleRecord,
  ScheduleTiming,
} from '../../schedules.ts';
import type { Connection, WriteTransaction } from '../database/database.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { isAny } from '../database/results.ts';
import type { ScheduleFiresTable, SchedulesTable } from '../database/tables.ts';

/** Literals, so that the partial indexes are used. */
export const WAITING = sql<SqlBool>`schedule_fires.status = 'waiting'`;
export const STARTED = sql<SqlBool>`schedule_fires.status = 'started'`;

const DEFINITION = plainColumns([
  'name',
  'prompt',
  'assistant_id',
  'model',
  'thread_id',
  'missed',
  'webhook',
]);
const SCHEDULE = plainColumns([
  ...DEFINITION.names,
  'schedule_id',
  'user_id',
  'paused_because',
  'next_run_at',
  'created_at',
  'updated_at',
]);

export function toSchedule(row: Selectable<SchedulesTable>): ScheduleRecord {
  const { cron, run_at: runAt, timezone } = row;
  return {
    ...SCHEDULE.fieldsOf(row),
    timing: cron === null ? { kind: 'once', runAt: runAt ?? 0, timezone } : { kind: 'cron', cron, timezone },
  };
}

export function toScheduleRow(schedule: ScheduleRecord): SchedulesTable {
  return { ...SCHEDULE.columnsOf(schedule), ...timingRow(schedule.timing) };
}

export function definitionRow(definition: ScheduleDefinition) {
  return { ...DEFINITION.columnsOf(definition), ...timingRow(definition.timing) };
}

function timingRow(timing: ScheduleTiming) {
  return {
    cron: timing.kind === 'cron' ? timing.cron : null,
    run_at: timing.kind === 'once' ? timing.runAt : null,
    timezone: timing.timezone,
  };
}

/** Fires with their runs as those are now. */
export function firesWithRuns(db: Connection) {
  return db
    .selectFrom('schedule_fires')
    .leftJoin('runs', 'runs.run_id', 'schedule_fires.run_id')
    .selectAll('schedule_fires')
    .select([
      'runs.status as live_status',
      'runs.stop_reason as live_stop_reason',
      'runs.error as live_error',
      'runs.finished_at as live_finished_at',
    ]);
}

const FIRE = plainColumns(['schedule_id', 'slot', 'run_id', 'thread_id', 'created_at']);
const OUTCOME = plainColumns(['status', 'reason', 'detail', 'run_status', 'ended_at']);

type FireWithRun = Awaited<ReturnType<ReturnType<typeof firesWithRuns>['execute']>>[number];

export function toFire(row: FireWithRun): ScheduleFire {
  const fired = { ...FIRE.fieldsOf(row), isManual: row.is_manual === 1 };
  const isOver = row.live_status === null || isTerminal(row.live_status);
  if (row.status !== 'started' || !isOver)
    return { ...fired, ...OUTCOME.fieldsOf(row), runStatus: row.live_status ?? row.run_status };
  // It has ended, and nobody has noted that yet.
  return {
    ...fired,
    status: 'ended',
    reason: row.live_stop_reason,
    detail: row.live_error,
    runStatus: row.live_status,
    endedAt: row.live_finished_at,
  };
}

const CLAIMED = plainColumns(['slot', 'created_at']);

type FireRow = Pick<
  Selectable<ScheduleFiresTable>,
  'slot' | 'is_manual' | 'thread_id' | 'attempts' | 'created_at'
>;

export function toClaimed(schedule: ScheduleRecord, row: FireRow): ClaimedFire {
  const { thread_id: threadId, attempts: attempt } = row;
  if (threadId === null) throw new TypeError('a fire that is to be started has a thread');
  return { ...CLAIMED.fieldsOf(row), schedule, isManual: row.is_manual === 1, threadId, attempt };
}

/** A column of the run of a fire. */
export function ofRun(column: 'status' | 'stop_reason' | 'error' | 'finished_at') {
  return sql`(select ${sql.ref(`runs.${column}`)} from runs where runs.run_id = schedule_fires.run_id)`;
}

/** Whether a run of the schedule is still to be started, or has not ended. */
export function isUnderWay(trx: WriteTransaction, scheduleId: string): Promise<boolean> {
  const open = trx
    .selectFrom('schedule_fires')
    .leftJoin('runs', 'runs.run_id', 'schedule_fires.run_id')
    .select('schedule_fires.slot')
    .where('schedule_fires.schedule_id', '=', scheduleId)
    .where(sql<SqlBool>`(${WAITING} or (${STARTED} and runs.status in ('pending', 'running')))`);
  return isAny(open.limit(1));
}

/** A fire at the first free moment from `slot` on, or none where that very one is taken. */
export function insertFire(
  trx: WriteTransaction,
  row: Pick<Selectable<ScheduleFiresTable>, 'schedule_id' | 'slot' | 'user_id' | 'is_manual' | 'status'> &
    Partial<ScheduleFiresTable> & { readonly created_at: number },
): Promise<boolean> {
  const inserted = trx
    .insertInto('schedule_fires')
    .values({
      reason: null,
      detail: null,
      run_id: null,
      thread_id: null,
      run_status: null,
      ended_at: null,
      attempts: 0,
      next_at: row.created_at,
      leased_until: 0,
      ...row,
    })
    .onConflict((conflict) => conflict.columns(['schedule_id', 'slot']).doNothing());
  return isAny(inserted.returning('slot'));
}
