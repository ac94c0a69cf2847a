// Polls for due slots, decides each once, and starts the runs of those that are to run.
import { conflict, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type {
  ClaimedFire,
  FireRefusal,
  PauseReason,
  ScheduleFires,
  ScheduleRecord,
  SlotDecision,
} from '../storage/schedules.ts';
import type { Job } from '../upkeep/upkeep.ts';
import type { ScheduleOptions } from './schedule-options.ts';
import { slotAfter } from './timing.ts';

/** `gone`: something that the schedule needs no longer exists, which pauses it. */
export type StartOutcome =
  | { readonly kind: 'started'; readonly runId: string; readonly threadId: string }
  | { readonly kind: 'gone'; readonly pause: PauseReason; readonly detail: string };

export interface FiringParts {
  readonly fires: ScheduleFires;
  readonly options: ScheduleOptions;
  /**
   * Starts the run of a fire, or returns the run that was started before. Throws as the admission of runs
   * does.
   */
  readonly startRun: (fire: ClaimedFire) => Promise<StartOutcome>;
  /** True when no other process uses the database. */
  readonly exclusive: boolean;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** A slot that is checked later than this was missed, in milliseconds. */
const GRACE_MS = 60_000;
const LEASE_MS = 30_000;
const DECIDED_AT_ONCE = 100;
const STARTED_AT_ONCE = 20;
/** Maximum number of entries in the history of one schedule. */
const KEPT = 200;
/** A fire that cannot be started for this long is given up. */
const GIVE_UP_MS = 3_600_000;
const RETRY_MS = 30_000;
/** Interval of the passes while runs of schedules are active or waiting. */
const UNDER_WAY_MS = 2_000;

export function createFiring(parts: FiringParts) {
  const { fires, options, exclusive } = parts;
  /** Handles due slots. Work that remains at a stop waits for the next process. */
  const job: Job = {
    name: 'schedules',
    everyMs: options.check_seconds * 1_000,
    async pass({ isFirst, signal }) {
      // Releases the claims of a process that was killed.
      if (isFirst && exclusive) await fires.freeAll();
      return fireDue(parts, signal);
    },
  };
  return {
    job,
    /**
     * Starts the run of a fire that the caller has claimed. Throws the reason when it cannot be started, and
     * records it with the fire.
     */
    async startNow(fire: ClaimedFire): Promise<void> {
      const failure = await startFire(parts, fire, { mayWait: false });
      if (failure !== undefined) throw failure;
    },
  };
}

/** Does the work that is due. Returns when the next pass is due, as a job reports it. */
async function fireDue(parts: FiringParts, signal: AbortSignal): Promise<boolean | number | undefined> {
  const { fires, now } = parts;
  const { hasDue, hasWaiting, hasStarted, nextAt } = await fires.work(now());
  if (hasStarted) await fires.settle(now());
  const decided = hasDue ? await decideSome(parts, signal) : 0;
  const started = hasDue || hasWaiting ? await startSome(parts) : 0;
  if (decided === DECIDED_AT_ONCE || started > 0) return true;
  // The end of a run decides about the next slot.
  if (hasStarted || hasWaiting || hasDue) return UNDER_WAY_MS;
  return nextAt === undefined ? undefined : Math.max(0, nextAt - now());
}

/** Decides due slots, each in only one of several processes. Returns the number of due slots. */
async function decideSome(parts: FiringParts, signal: AbortSignal): Promise<number> {
  const { fires, log, now } = parts;
  const due = await fires.due(now(), DECIDED_AT_ONCE);
  for (const schedule of due) {
    if (signal.aborted) break;
    const decision = decisionOf(schedule, parts);
    if (decision === undefined) continue;
    // A slot that cannot be decided must not delay the others.
    await fires
      .decide(schedule, decision)
      .catch((err: unknown) =>
        log.warn({ err, scheduleId: schedule.scheduleId }, 'a slot will be checked again later'),
      );
  }
  return due.length;
}

async function startSome(parts: FiringParts): Promise<number> {
  const { fires, options, now } = parts;
  const at = now();
  const claimed = await fires.claim({
    now: at,
    leaseUntil: at + LEASE_MS,
    limit: STARTED_AT_ONCE,
    perUser: options.per_user,
    atOnce: options.at_once,
  });
  await Promise.all(claimed.map((fire) => startFire(parts, fire, { mayWait: true })));
  return claimed.length;
}

function decisionOf(
  { timing, missed, nextRunAt: slot }: ScheduleRecord,
  { now, newId }: Pick<FiringParts, 'now' | 'newId'>,
): SlotDecision | undefined {
  if (slot === null) return undefined;
  const at = now();
  const isLate = at - slot > GRACE_MS;
  const decided = { slot, newThreadId: newId(), now: at, kept: KEPT };
  // The newest slot may be less than a minute old, and is then not missed.
  if (isLate && missed === 'skip')
    return { ...decided, outcome: 'missed', nextRunAt: slotAfter(timing, at - GRACE_MS) ?? null };
  return { ...decided, outcome: 'run', nextRunAt: slotAfter(timing, isLate ? at : slot) ?? null };
}

/** Never rejects. Returns the error that kept the run from being started, which is recorded with the fire. */
async function startFire(
  parts: FiringParts,
  fire: ClaimedFire,
  { mayWait }: { readonly mayWait: boolean },
): Promise<Error | undefined> {
  const { fires, log, now } = parts;
  try {
    const outcome = await parts.startRun(fire);
    if (outcome.kind === 'started') await fires.started(fire, outcome);
    else await fires.refuse(fire, { reason: outcome.pause, ...outcome, now: now() });
    return outcome.kind === 'gone' ? conflict(outcome.detail) : undefined;
  } catch (error) {
    if (!(error instanceof ServiceError))
      log.warn({ err: error, scheduleId: fire.schedule.scheduleId }, 'a run of a schedule was not started');
    const at = now();
    const { retryMs, ...why } = refusalOf(error);
    const isHopeless = retryMs === undefined || at - fire.createdAt >= GIVE_UP_MS;
    const noted =
      mayWait && !isHopeless ? fires.again(fire, at + retryMs, why) : fires.refuse(fire, { ...why, now: at });
    // If this fails, the lease expires.
    await noted.catch((err: unknown) => log.warn({ err }, 'the outcome of a schedule could not be recorded'));
    return error instanceof Error ? error : new Error('a run of a schedule was not started');
  }
}

interface Refusal extends Pick<FireRefusal, 'reason' | 'detail'> {
  /** Delay after which a retry may help; `undefined` when none helps. */
  readonly retryMs: number | undefined;
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ServiceError))
    return { reason: 'failed', detail: 'The service failed to start it.', retryMs: RETRY_MS };
  const { code, detail } = error;
  const mayPass = code === 'too_many_waiting' || code === 'unavailable';
  return { reason: code, detail, retryMs: mayPass ? RETRY_MS : undefined };
}
