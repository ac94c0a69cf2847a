// The tables of schedules. Conventions as in `tables.ts`.
import type { ScheduleFire, ScheduleRecord } from '../../schedules.ts';
import type { ColumnsOf } from './plain-columns.ts';

/** Exactly one of `cron` and `run_at` is not null. */
export interface SchedulesTable extends ColumnsOf<Omit<ScheduleRecord, 'timing'>> {
  cron: string | null;
  run_at: number | null;
  timezone: string;
}

/** One row per slot of a schedule, and per run requested by hand. */
export interface ScheduleFiresTable extends ColumnsOf<Omit<ScheduleFire, 'isManual'>> {
  user_id: string;
  is_manual: number;
  /** Counted before each attempt. */
  attempts: number;
  /** While it waits: the earliest start. */
  next_at: number;
  /** Until then, a process has claimed it. */
  leased_until: number;
}

export interface ScheduleTables {
  schedules: SchedulesTable;
  schedule_fires: ScheduleFiresTable;
}
