// The times of a schedule as people choose and read them, with cron for those who want it.
import type { Schedule } from '../api/schedule-calls.ts';

export const TIMING_KINDS = ['daily', 'weekdays', 'weekly', 'monthly', 'once', 'cron'] as const;
type TimingKind = (typeof TIMING_KINDS)[number];

/** The fields of the form. Each kind reads its own. */
export interface Timing {
  readonly kind: TimingKind;
  /** Such as `09:00`, in the time zone of the schedule. */
  readonly time: string;
  /** `0` is Sunday. */
  readonly weekday: string;
  /** The day of the month. `L` is the last one. */
  readonly day: string;
  /** Such as `2027-03-01T09:00`, in the time zone of the reader. */
  readonly moment: string;
  readonly cron: string;
}

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

export const NEW_TIMING: Timing = {
  kind: 'daily',
  time: '09:00',
  weekday: '1',
  day: '1',
  moment: '',
  cron: '0 9 * * *',
};

const SIMPLE = /^(\d{1,2}) (\d{1,2}) (\*|L|\d{1,2}) \* (\*|1-5|[0-6])$/;

/** Returns the form fields of an existing schedule. */
export function timingOf({ cron, run_at }: Pick<Schedule, 'cron' | 'run_at'>): Timing {
  if (cron === null) {
    const moment = run_at === null ? '' : localMoment(new Date(run_at));
    return { ...NEW_TIMING, kind: 'once', moment };
  }
  const [, minute = '', hour = '', day = '', weekday = ''] = SIMPLE.exec(cron) ?? [];
  const kind = kindOf(day, weekday);
  if (kind === undefined) return { ...NEW_TIMING, kind: 'cron', cron };
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  const chosen = { ...(kind === 'weekly' ? { weekday } : {}), ...(kind === 'monthly' ? { day } : {}) };
  return { ...NEW_TIMING, cron, kind, time, ...chosen };
}

/** Returns undefined for times that only cron can express. */
function kindOf(day: string, weekday: string): Exclude<TimingKind, 'once' | 'cron'> | undefined {
  if (day === '') return undefined;
  if (day !== '*') return weekday === '*' ? 'monthly' : undefined;
  if (weekday === '*') return 'daily';
  return weekday === '1-5' ? 'weekdays' : 'weekly';
}

/** Returns the fields that the service accepts. */
export function timeFieldsOf(timing: Timing): Pick<Schedule, 'cron' | 'run_at'> {
  const { kind, time, weekday, day, moment, cron } = timing;
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const at = `${minute} ${hour}`;
  switch (kind) {
    case 'daily':
      return { cron: `${at} * * *`, run_at: null };
    case 'weekdays':
      return { cron: `${at} * * 1-5`, run_at: null };
    case 'weekly':
      return { cron: `${at} * * ${weekday}`, run_at: null };
    case 'monthly':
      return { cron: `${at} ${day} * *`, run_at: null };
    case 'once':
      return { cron: null, run_at: new Date(moment).toISOString() };
    case 'cron':
      return { cron: cron.trim(), run_at: null };
    default:
      return kind satisfies never;
  }
}

/** Returns a text such as `Every day at 09:00`. */
export function timingText(schedule: Pick<Schedule, 'cron' | 'run_at' | 'timezone'>): string {
  const timing = timingOf(schedule);
  if (timing.kind === 'once') return 'Once';
  const zone = schedule.timezone === localTimeZone() ? '' : ` (${schedule.timezone})`;
  return `${repetitionText(timing)}${zone}`;
}

function repetitionText({ kind, time: clock, weekday, day, cron }: Timing): string {
  const time = clockFormat.format(new Date(`2000-01-01T${clock}`));
  switch (kind) {
    case 'daily':
      return `Every day at ${time}`;
    case 'weekdays':
      return `Monday to Friday at ${time}`;
    case 'weekly':
      return `Every ${WEEKDAYS[Number(weekday)]} at ${time}`;
    case 'monthly':
      return `${day === 'L' ? 'On the last day' : `On day ${day}`} of every month at ${time}`;
    default:
      return `By cron: ${cron}`;
  }
}

export function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const momentFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const yearFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Returns the time as a text in the time zone of the reader. */
export function momentText(iso: string, now: Date): string {
  const moment = new Date(iso);
  const isNear = moment.getFullYear() === now.getFullYear();
  return (isNear ? momentFormat : yearFormat).format(moment);
}

/** Returns the time in the format of an input for date and time. */
export function localMoment(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
