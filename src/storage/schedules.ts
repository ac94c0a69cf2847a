// Schedules: what the agent does for a person at set times, and their slots, each decided once. Times are
// epoch milliseconds.
import type { DueClaim } from './due-claim.ts';
import type { RunStatus } from './runs.ts';

/** What happens to slots that passed while no process ran: nothing, or one run for all of them. */
type MissedPolicy = 'skip' | 'run_once';

/** `person`: a person paused it. The other reasons: the schedule can no longer run, or was imported. */
export type PauseReason = 'person' | 'thread_deleted' | 'agent_missing' | 'imported';

export type ScheduleTiming =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  /** The time zone is for display. */
  | { readonly kind: 'once'; readonly runAt: number; readonly timezone: string };

/** The part of a schedule that a person defines. */
export interface ScheduleDefinition {
  readonly name: string;
  readonly prompt: string;
  readonly assistantId: string;
  readonly model: string | null;
  readonly timing: ScheduleTiming;
  /** `null`: each run gets its own thread. */
  readonly threadId: string | null;
  readonly missed: MissedPolicy;
  /** The URL to call when a run has ended; `null` for none. */
  readonly webhook: string | null;
}

export interface ScheduleRecord extends ScheduleDefinition {
  readonly scheduleId: string;
  readonly userId: string;
  readonly pausedBecause: PauseReason | null;
  /** `null` when it is paused or has no further slot. */
  readonly nextRunAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewSchedule = Omit<ScheduleRecord, 'userId'>;

/**
 * `waiting`: its run has yet to be started. `started`: the run was started. `ended`: the run has ended.
 * `skipped`: there was no run. `refused`: the run could not be started.
 */
type FireStatus = 'waiting' | 'started' | 'ended' | 'skipped' | 'refused';

/** The outcome of one slot. */
export interface ScheduleFire {
  readonly scheduleId: string;
  /** The planned time, or the time of the request for a manual run. Unique within a schedule. */
  readonly slot: number;
  readonly isManual: boolean;
  readonly status: FireStatus;
  /** A code: why it was skipped or refused, or still waits; for an ended run, its stop reason. */
  readonly reason: string | null;
  /** A sentence that explains the reason. */
  readonly detail: string | null;
  readonly runId: string | null;
  readonly threadId: string | null;
  /** The current status of the run; `null` when there is no run, or no longer. */
  readonly runStatus: RunStatus | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** A fire whose run the claimer must start now. */
export interface ClaimedFire extends Pick<ScheduleFire, 'slot' | 'isManual' | 'createdAt'> {
  readonly schedule: ScheduleRecord;
  /** The thread of its run, chosen once, so that a second attempt does not create a second thread. */
  readonly threadId: string;
  /** 1 for the first. */
  readonly attempt: number;
}

interface ScheduleChange {
  /** Absent: unchanged. */
  readonly definition?: ScheduleDefinition;
  readonly pausedBecause: PauseReason | null;
  /** Absent: the stored value stays, even if it has changed since. */
  readonly nextRunAt?: number | null;
  readonly now: number;
}

/** A run that a person requests by hand. */
export interface ManualFire {
  readonly now: number;
  /** The thread of the run, when each run of the schedule gets its own. */
  readonly newThreadId: string;
  /** The end of the claim. A claimer that has not started the run by then counts as dead. */
  readonly leaseUntil: number;
}

/** Schedules of one owner. */
export interface ScheduleRepository {
  /** Returns the schedules, oldest first. */
  list(): Promise<readonly ScheduleRecord[]>;
  get(scheduleId: string): Promise<ScheduleRecord | undefined>;
  /**
   * Creates the schedule. `too_many`: the owner already has `most` schedules. `no_account`: the account was
   * deleted.
   */
  create(schedule: NewSchedule, most: number): Promise<'created' | 'too_many' | 'no_account'>;
  update(scheduleId: string, change: ScheduleChange): Promise<ScheduleRecord | undefined>;
  /** Deletes the schedule with its history. Its runs and threads stay. */
  delete(scheduleId: string): Promise<boolean>;
  /** Returns the fires of a schedule, newest slot first. */
  fires(
    scheduleId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly ScheduleFire[]>;
  /** Returns the newest fire of each schedule that was not skipped, by schedule id. */
  lastFires(): Promise<ReadonlyMap<string, ScheduleFire>>;
  /**
   * Inserts a manual fire and claims it for the caller. `running`: the last run of the schedule has not
   * ended.
   */
  fireNow(scheduleId: string, fire: ManualFire): Promise<ClaimedFire | 'absent' | 'running'>;
}

/** The work that exists for schedules. */
interface ScheduleWork {
  readonly hasDue: boolean;
  readonly hasWaiting: boolean;
  readonly hasStarted: boolean;
  /** When the next slot or waiting fire that is not due yet becomes due; `undefined` when there is none. */
  readonly nextAt: number | undefined;
}

/** The decision about the slot at `schedule.nextRunAt`. */
export interface SlotDecision {
  readonly slot: number;
  /** `missed`: the slot passed while no process ran, and is not made up for. */
  readonly outcome: 'run' | 'missed';
  /** The next slot; `null` for none. */
  readonly nextRunAt: number | null;
  /** The thread of the run, when each run of the schedule gets its own. */
  readonly newThreadId: string;
  readonly now: number;
  /** Number of entries of the schedule's history that stay. */
  readonly kept: number;
}

export interface FireClaim extends DueClaim {
  /** Most unfinished runs of schedules: of one user, and of all users (`atOnce`). */
  readonly perUser: number;
  readonly atOnce: number;
}

export interface FireRefusal {
  readonly reason: string;
  readonly detail: string;
  /** The reason for which the schedule is paused; absent: it is not. */
  readonly pause?: PauseReason;
  readonly now: number;
}

/** Slots of all schedules: found when due, each decided once, and started by the process that claims them. */
export interface ScheduleFires {
  /** Returns the work that exists. One cheap statement, the only cost for a service without schedules. */
  work(now: number): Promise<ScheduleWork>;
  /** Returns due schedules, longest due first, with one of each user before the second of any user. */
  due(now: number, limit: number): Promise<readonly ScheduleRecord[]>;
  /**
   * Records the decision about a slot and advances the schedule, in one transaction. Of several concurrent
   * decisions about a slot, one counts. While a run of the schedule has not ended, the slot is skipped.
   * Returns `false` when another process was first, or the schedule has changed.
   */
  decide(schedule: ScheduleRecord, decision: SlotDecision): Promise<boolean>;
  /** Claims fires to start, at most one of each user, and counts the attempt. */
  claim(claim: FireClaim): Promise<readonly ClaimedFire[]>;
  started(fire: ClaimedFire, run: { readonly runId: string; readonly threadId: string }): Promise<void>;
  /**
   * Postpones the fire until `at`. Changes nothing when another process has claimed it since, or it was
   * refused.
   */
  again(fire: ClaimedFire, at: number, why: Pick<FireRefusal, 'reason' | 'detail'>): Promise<void>;
  refuse(fire: ClaimedFire, refusal: FireRefusal): Promise<void>;
  /** Records how runs ended, for started fires whose runs have ended. */
  settle(now: number): Promise<void>;
  /** Releases all claims of waiting fires. For a process that is alone on the database. */
  freeAll(): Promise<void>;
}
