// The tables of schedules. As in `tables.ts`.
import type { RunStatus } from '../../runs.ts';
import type { FireStatus, MissedPolicy, PauseReason } from '../../schedules.ts';

/** One of `cron` and `run_at` is there. */
export interface SchedulesTable {
  schedule_id: string;
  user_id: string;
  name: string;
  prompt: string;
  assistant_id: string;
  model: string | null;
  cron: string | null;
  run_at: number | null;
  timezone: string;
  /** `null`: each run gets a thread of its own. */
  thread_id: string | null;
  missed: MissedPolicy;
  webhook: string | null;
  paused_because: PauseReason | null;
  /** `null`: paused, or there is no further slot. */
  next_run_at: number | null;
  created_at: number;
  updated_at: number;
}

/** One row per slot of a schedule, and per run that somebody asked for by hand. */
export interface ScheduleFiresTable {
  schedule_id: string;
  slot: number;
  user_id: string;
  is_manual: number;
  status: FireStatus;
  /** A word: why it was skipped or refused, or waits; of an ended run its stop reason. */
  reason: string | null;
  /** A sentence. */
  detail: string | null;
  run_id: string | null;
  thread_id: string | null;
  /** How the run ended, once it has; `null` with an ended one: it was deleted before that was seen. */
  run_status: RunStatus | null;
  created_at: number;
  ended_at: number | null;
  /** Counted before each of them. */
  attempts: number;
  /** While it waits: not before. */
  next_at: number;
  /** Until then somebody starts it. */
  leased_until: number;
}

export interface ScheduleTables {
  schedules: SchedulesTable;
  schedule_fires: ScheduleFiresTable;
}
