// Looks for slots that are due: decides about each once, and starts the runs of those that are to run.
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

/** `gone`: what the schedule needs is not there any more, which pauses it. */
export type StartOutcome =
  | { readonly kind: 'started'; readonly runId: string; readonly threadId: string }
  | { readonly kind: 'gone'; readonly pause: PauseReason; readonly detail: string };

export interface Firing {
  /** Looks for what is due; what a stop leaves waits for the next process. */
  readonly job: Job;
  /** Starts the run of a fire that the caller has claimed. Throws what keeps it from being started, which is noted with it. */
  startNow(fire: ClaimedFire): Promise<void>;
}

export interface FiringParts {
  readonly fires: ScheduleFires;
  readonly options: ScheduleOptions;
  /**
   * Starts the run of a fire; the same run, when it was started already. Throws as the admission of runs does.
   */
  readonly startRun: (fire: ClaimedFire) => Promise<StartOutcome>;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** A slot that is looked at later than this was missed, in milliseconds. */
const GRACE_MS = 60_000;
const LEASE_MS = 30_000;
const DECIDED_AT_ONCE = 100;
const STARTED_AT_ONCE = 20;
/** Entries of the history of one schedule. */
const KEPT = 200;
/** What cannot be started for so long is given up. */
const GIVE_UP_MS = 3_600_000;
const RETRY_MS = 30_000;
/** While runs of schedules go on, or wait. */
const UNDER_WAY_MS = 2_000;

export function createFiring(parts: FiringParts): Firing {
  const { fires, options, exclusive } = parts;
  return {
    job: {
      name: 'schedules',
      everyMs: options.check_seconds * 1_000,
      async pass({ isFirst, signal }) {
        // What a process left that was killed waits for nobody.
        if (isFirst && exclusive) await fires.freeAll();
        return fireDue(parts, signal);
      },
    },
    async startNow(fire) {
      const failure = await startFire(parts, fire, { mayWait: false });
      if (failure !== undefined) throw failure;
    },
  };
}

/** What there is to do at the moment, and when there is more, as a job says it. */
async function fireDue(parts: FiringParts, signal: AbortSignal): Promise<boolean | number | undefined> {
  const { fires, now } = parts;
  const { hasDue, hasWaiting, hasStarted, nextAt } = await fires.work(now());
  if (hasStarted) await fires.settle(now());
  const decided = hasDue ? await decideSome(parts, signal) : 0;
  const started = hasDue || hasWaiting ? await startSome(parts) : 0;
  if (decided === DECIDED_AT_ONCE || started > 0) return true;
  // How a run ends decides about the next slot.
  if (hasStarted || hasWaiting || hasDue) return UNDER_WAY_MS;
  return nextAt === undefined ? undefined : Math.max(0, nextAt - now());
}

/** How many slots there were to decide about; of several processes that do, one decides about each. */
async function decideSome(parts: FiringParts, signal: AbortSignal): Promise<number> {
  const { fires, log, now } = parts;
  const due = await fires.due(now(), DECIDED_AT_ONCE);
  for (const schedule of due) {
    if (signal.aborted) break;
    const decision = decisionOf(schedule, parts);
    if (decision === undefined) continue;
    // One that cannot be decided about keeps nobody else waiting.
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
  // The newest slot may be no minute old: that one is not missed.
  if (isLate && missed === 'skip')
    return { ...decided, outcome: 'missed', nextRunAt: slotAfter(timing, at - GRACE_MS) ?? null };
  return { ...decided, outcome: 'run', nextRunAt: slotAfter(timing, isLate ? at : slot) ?? null };
}

/** Never rejects: answers what kept the run from being started, which is noted with its fire. */
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
    // The lease ends by itself.
    await noted.catch((err: unknown) => log.warn({ err }, 'the outcome of a schedule could not be recorded'));
    return error instanceof Error ? error : new Error('a run of a schedule was not started');
  }
}

interface Refusal extends Pick<FireRefusal, 'reason' | 'detail'> {
  /** After which trying again may help; `undefined`: never. */
  readonly retryMs: number | undefined;
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ServiceError))
    return { reason: 'failed', detail: 'The service failed to start it.', retryMs: RETRY_MS };
  const { code, detail } = error;
  const mayPass = code === 'too_many_waiting' || code === 'unavailable';
  return { reason: code, detail, retryMs: mayPass ? RETRY_MS : undefined };
}
