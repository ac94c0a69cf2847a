// What a cell of a workbook holds, as text. Pure.
import { durationText, type NumberFormat, numberText } from './number-format.ts';

const DAY_MS = 86_400_000;
/** Day 0 of the calendar of workbooks: a time without a day is on it. */
const DAY_0 = Date.UTC(1899, 11, 30);

/** What a workbook means by a number that is shown as a date. */
export function dateOf(days: number): Date {
  return new Date(DAY_0 + Math.round(days * DAY_MS));
}

/** A day alone has no time, and a time alone no day. */
export function cellText(value: unknown, format?: NumberFormat): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value, format);
  if (!(value instanceof Date)) return String(value);
  const days = (value.getTime() - DAY_0) / DAY_MS;
  if (format?.kind === 'duration' || (days >= 0 && days < 1)) return durationText(days);
  return value.toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
}
