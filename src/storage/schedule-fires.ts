// Slots of all schedules: found when they are due, each decided once, and started by whichever process claims them.
import type { ClaimedFire, PauseReason, ScheduleRecord } from './schedules.ts';

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
  /** It waits until `at`. Nothing changes when somebody has claimed it anew since; nor does it with a refusal. */
  again(fire: ClaimedFire, at: number, why: Pick<FireRefusal, 'reason' | 'detail'>): Promise<void>;
  refuse(fire: ClaimedFire, refusal: FireRefusal): Promise<void>;
  /** Notes how runs ended that have. */
  settle(now: number): Promise<void>;
  /** Voids the claims of processes that are gone. */
  freeAll(): Promise<void>;
}
