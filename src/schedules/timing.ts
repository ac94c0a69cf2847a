// When a schedule runs: five fields of cron in a time zone, or one moment. Pure.
import { Cron } from 'croner';
import type { ScheduleTiming } from '../storage/schedules.ts';

/** Beyond it nothing is planned, in milliseconds: leap days come every eight years at worst. */
export const HORIZON_MS = 10 * 365.25 * 86_400_000;
/** Slots that are looked at to learn how often a schedule runs: more than any hour has, and than most days. */
const SCANNED = 128;

/** Letters for months, days of the week, and `L`, `W`. */
const CRON = /^[0-9A-Za-z*,/#-]{1,40}(?: [0-9A-Za-z*,/#-]{1,40}){4}$/;
/** Names of the time zone database; offsets such as `+02:00` know nothing of summer time. */
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

/** Five fields with one space between them, or a sentence that says what is wrong. */
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

/** The first slot after `after` in epoch milliseconds; `undefined` when there is none before the horizon. */
export function slotAfter(timing: ScheduleTiming, after: number): number | undefined {
  const slot = timing.kind === 'once' ? timing.runAt : cronSlotAfter(timing, after);
  return slot !== undefined && slot > after && slot <= after + HORIZON_MS ? slot : undefined;
}

/** The shortest time between two slots from `after` on, in milliseconds. */
export function shortestInterval(timing: ScheduleTiming, after: number): number {
  if (timing.kind === 'once') return Number.POSITIVE_INFINITY;
  // Without a time zone, whose changes of the clock bring slots closer once a year.
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
    // The time zone was known when the schedule was made: another machine, or another release of its data.
    return undefined;
  }
}

type CronTiming = Extract<ScheduleTiming, { kind: 'cron' }>;

/** Times that are written out run once on the day of a change of the clock; every-so-often follows the clock of the world. */
function parsed({ cron, timezone }: Pick<CronTiming, 'cron' | 'timezone'>): Cron {
  return new Cron(cron, { mode: '5-part', timezone, fixedTimeRule: 'no-wildcard', paused: true });
}
