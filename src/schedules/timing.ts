// When a schedule runs: five fields of cron in a time zone, or one moment. Pure.
import { Cron } from 'croner';
import type { ScheduleTiming } from '../storage/schedules.ts';

/** Nothing is planned beyond this, in milliseconds. Leap days are eight years apart at worst. */
export const HORIZON_MS = 10 * 365.25 * 86_400_000;
/** Slots that are read to determine how often a schedule runs: more than any hour has, and than most days. */
const SCANNED = 128;

/** Allows letters for months, days of the week, and `L`, `W`. */
const CRON = /^[0-9A-Za-z*,/#-]{1,40}(?: [0-9A-Za-z*,/#-]{1,40}){4}$/;
/** Names of the time zone database, because offsets such as `+02:00` ignore summer time. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

export function isTimeZone(name: string): boolean {
  if (!ZONE.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Expects five fields with one space between them. Returns a sentence that names the problem; `undefined`
 * without one.
 */
export function cronProblem(cron: string): string | undefined {
  if (!CRON.test(cron))
    return 'Expected five fields: minute, hour, day of the month, month, day of the week. `0 9 * * 1-5` is nine o’clock on weekdays.';
  try {
    parsed({ cron, timezone: 'UTC' });
    return undefined;
  } catch {
    return 'One of the five fields is not valid. `0 9 * * 1-5` is nine o’clock on weekdays.';
  }
}

/**
 * Returns the first slot after `after` in epoch milliseconds; `undefined` when there is none before the
 * horizon.
 */
export function slotAfter(timing: ScheduleTiming, after: number): number | undefined {
  const slot = timing.kind === 'once' ? timing.runAt : cronSlotAfter(timing, after);
  return slot !== undefined && slot > after && slot <= after + HORIZON_MS ? slot : undefined;
}

/** Returns the shortest time between two slots from `after` on, in milliseconds. */
export function shortestInterval(timing: ScheduleTiming, after: number): number {
  if (timing.kind === 'once') return Number.POSITIVE_INFINITY;
  // Uses UTC, because the clock changes of a time zone bring slots closer once a year.
  const slots = parsed({ cron: timing.cron, timezone: 'UTC' }).nextRuns(SCANNED, new Date(after));
  const times = slots.map((slot) => slot.getTime());
  return times.reduce(
    (shortest, time, index) => Math.min(shortest, time - (times[index - 1] ?? Number.NEGATIVE_INFINITY)),
    Number.POSITIVE_INFINITY,
  );
}

function cronSlotAfter(timing: Pick<CronTiming, 'cron' | 'timezone'>, after: number): number | undefined {
  try {
    return parsed(timing).nextRun(new Date(after))?.getTime();
  } catch {
    // The time zone was known when the schedule was created, but not to this machine or to this release of
    // the data.
    return undefined;
  }
}

type CronTiming = Extract<ScheduleTiming, { kind: 'cron' }>;

/** On the day of a clock change, fixed times run once, and intervals follow the elapsed time. */
function parsed({ cron, timezone }: Pick<CronTiming, 'cron' | 'timezone'>): Cron {
  return new Cron(cron, { mode: '5-part', timezone, fixedTimeRule: 'no-wildcard', paused: true });
}
