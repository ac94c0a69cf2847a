// Schedules: what a person has the agent do at set times, and their slots, each decided once. Times are epoch
// milliseconds.
import type { RunStatus } from './runs.ts';

/** What happens to slots that passed while no process was running: nothing, or one run for all of them. */
export type MissedPolicy = 'skip' | 'run_once';

/** `person`: a person paused it. The service pauses schedules that can no longer run. */
export type PauseReason = 'person' | 'thread_deleted' | 'agent_missing' | 'imported';

export type ScheduleTiming =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  /** The time zone is that in which it is shown. */
  | { readonly kind: 'once'; readonly runAt: number; readonly timezone: string };

/** What a person says of a schedule. */
export interface ScheduleDefinition {
  readonly name: string;
  readonly prompt: string;
  readonly assistantId: string;
  readonly model: string | null;
  readonly timing: ScheduleTiming;
  /** `null`: each run gets a thread of its own. */
  readonly threadId: string | null;
  readonly missed: MissedPolicy;
  /** Called when a run has ended. */
  readonly webhook: string | null;
}

export interface ScheduleRecord extends ScheduleDefinition {
  readonly scheduleId: string;
  readonly userId: string;
  readonly pausedBecause: PauseReason | null;
  /** `null`: it is paused, or has no further slot. */
  readonly nextRunAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewSchedule = Omit<ScheduleRecord, 'userId'>;

/**
 * `waiting`: its run is to be started. `started`: it was. `ended`: so has the run. `skipped`: there was none. `refused`: it could not
 * be started.
 */
export type FireStatus = 'waiting' | 'started' | 'ended' | 'skipped' | 'refused';

/** What became of one slot. */
export interface ScheduleFire {
  readonly scheduleId: string;
  /** When it was to run; of a run by hand, when that was asked for. No two of a schedule are the same. */
  readonly slot: number;
  readonly isManual: boolean;
  readonly status: FireStatus;
  /** A word: why it was skipped or refused, or still waits; of an ended run its stop reason. */
  readonly reason: string | null;
  /** A sentence to it. */
  readonly detail: string | null;
  readonly runId: string | null;
  readonly threadId: string | null;
  /** As it is now; `null` where there is none, or none any more. */
  readonly runStatus: RunStatus | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** A fire whose run the claimer is to start now. */
export interface ClaimedFire {
  readonly schedule: ScheduleRecord;
  readonly slot: number;
  readonly isManual: boolean;
  /** That of its run: chosen once, so that a second attempt makes no second thread. */
  readonly threadId: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly createdAt: number;
}

interface ScheduleChange {
  /** Absent: as it is. */
  readonly definition?: ScheduleDefinition;
  readonly pausedBecause: PauseReason | null;
  /** Absent: as it is, whatever slot that is by now. */
  readonly nextRunAt?: number | null;
  readonly now: number;
}

/** A run that somebody asks for by hand. */
export interface ManualFire {
  readonly now: number;
  /** For a schedule whose runs get threads of their own. */
  readonly newThreadId: string;
  /** Whoever has not started it by then has died. */
  readonly leaseUntil: number;
}

/** Schedules of one owner. */
export interface ScheduleRepository {
  /** Oldest first. */
  list(): Promise<readonly ScheduleRecord[]>;
  get(scheduleId: string): Promise<ScheduleRecord | undefined>;
  /** `too_many`: the owner has `most` already. `no_account`: the owner was deleted. */
  create(schedule: NewSchedule, most: number): Promise<'created' | 'too_many' | 'no_account'>;
  update(scheduleId: string, change: ScheduleChange): Promise<ScheduleRecord | undefined>;
  /** With its history; its runs and threads stay. */
  delete(scheduleId: string): Promise<boolean>;
  /** Newest slot first. */
  fires(
    scheduleId: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly ScheduleFire[]>;
  /** The newest fire of each schedule that was not skipped. */
  lastFires(): Promise<ReadonlyMap<string, ScheduleFire>>;
  /** Claimed for the caller. `running`: the last run of the schedule has not ended. */
  fireNow(scheduleId: string, fire: ManualFire): Promise<ClaimedFire | 'absent' | 'running'>;
}

/** What there is to do. */
interface ScheduleWork {
  readonly hasDue: boolean;
  readonly hasWaiting: boolean;
  readonly hasStarted: boolean;
  /** When the next slot of a schedule is due, as far as it is not; `undefined`: none is planned. */
  readonly nextAt: number | undefined;
}

/** What becomes of the slot at `schedule.nextRunAt`. */
export interface SlotDecision {
  readonly slot: number;
  /** `missed`: it passed while nobody looked, and is not made up for. */
  readonly outcome: 'run' | 'missed';
  /** The slot after it; `null`: there is none. */
  readonly nextRunAt: number | null;
  /** For a schedule whose runs get threads of their own. */
  readonly newThreadId: string;
  readonly now: number;
  /** Of the history of a schedule, so many entries stay. */
  readonly kept: number;
}

export interface FireClaim {
  readonly now: number;
  /** Whoever has not started it by then has died: somebody else does. */
  readonly leaseUntil: number;
  readonly limit: number;
  /** Runs of schedules that have not ended: of one user, and of all. */
  readonly perUser: number;
  readonly atOnce: number;
}

export interface FireRefusal {
  readonly reason: string;
  readonly detail: string;
  /** The schedule is paused for it. */
  readonly pause?: PauseReason;
  readonly now: number;
}

/**
 * Slots of all schedules: found when they are due, each decided once, and started by whichever process claims them.
 */
export interface ScheduleFires {
  /** One cheap statement, which is all that a service without schedules pays. */
  work(now: number): Promise<ScheduleWork>;
  /** Those due longest first, one of each user before the second of anybody. */
  due(now: number, limit: number): Promise<readonly ScheduleRecord[]>;
  /**
   * Writes what becomes of a slot and moves the schedule on, in one transaction: of all who decide about a slot, one does. While a
   * run of the schedule has not ended, the slot is skipped. `false`: somebody else was first, or the schedule has changed.
   */
  decide(schedule: ScheduleRecord, decision: SlotDecision): Promise<boolean>;
  /** Fires to be started, one of each user at most; the attempt is counted. */
  claim(claim: FireClaim): Promise<readonly ClaimedFire[]>;
  started(fire: ClaimedFire, run: { readonly runId: string; readonly threadId: string }): Promise<void>;
  /** It waits until `at`. Nothing changes when another process has claimed it since, or when it was refused. */
  again(fire: ClaimedFire, at: number, why: Pick<FireRefusal, 'reason' | 'detail'>): Promise<void>;
  refuse(fire: ClaimedFire, refusal: FireRefusal): Promise<void>;
  /** Notes how runs ended that have. */
  settle(now: number): Promise<void>;
  /** Voids the claims of processes that are gone. */
  freeAll(): Promise<void>;
}
