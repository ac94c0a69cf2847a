// Points in time in the words of people.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a few characters, such as `now`, `5m`, `3h`, `Tue`, `4 Mar` or `Mar 2024`. */
export function relativeTime(then: Date, now: Date): string {
  const age = now.getTime() - then.getTime();
  if (age < MINUTE) return 'now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  if (age < 6 * DAY) return format(then, { weekday: 'short' });
  if (then.getFullYear() === now.getFullYear()) return format(then, { day: 'numeric', month: 'short' });
  return format(then, { month: 'short', year: 'numeric' });
}

/** Returns a part of a sentence, such as `now`, `5m ago` or `Tue`. */
export function agoText(then: Date, now: Date): string {
  const text = relativeTime(then, now);
  return /^\d+[mh]$/.test(text) ? `${text} ago` : text;
}

export type Period = 'Today' | 'Yesterday' | 'Last 7 days' | 'Last 30 days' | 'Older';

/**
 * Returns the part of the list to which the time belongs. Days begin at midnight in the reader's time zone.
 */
export function periodOf(then: Date, now: Date): Period {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const time = then.getTime();
  if (time >= midnight) return 'Today';
  if (time >= midnight - DAY) return 'Yesterday';
  if (time >= midnight - 7 * DAY) return 'Last 7 days';
  if (time >= midnight - 30 * DAY) return 'Last 30 days';
  return 'Older';
}

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, options).format(date);
}
