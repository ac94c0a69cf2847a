// Sheets of a workbook and their cells as text. A format applies only where it changes the meaning of a
// number: percent, currencies, units, durations. Pure.

/** Includes a sheet without cells, and notes that it is empty. */
export function sheetText(name: string, table: string): string {
  return `## ${name.replace(/\s+/g, ' ').trim()}\n\n${table === '' ? '_Empty sheet._' : table}`;
}

const DAY_MS = 86_400_000;
/** Day 0 of the calendar of workbooks. A time without a day is on it. */
const DAY_0 = Date.UTC(1899, 11, 30);

/** Returns the date that a workbook means by a number. */
export function dateOf(days: number): Date {
  return new Date(DAY_0 + Math.round(days * DAY_MS));
}

/** A day alone is shown without a time, and a time alone without a day. */
export function cellText(value: unknown, format?: NumberFormat): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value, format);
  if (!(value instanceof Date)) return String(value);
  const days = (value.getTime() - DAY_0) / DAY_MS;
  if (format?.kind === 'duration' || (days >= 0 && days < 1)) return durationText(days);
  return value.toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
}

export type NumberFormat =
  | { readonly kind: 'duration' }
  | {
      readonly kind: 'number';
      readonly before: string;
      readonly after: string;
      readonly isPercent: boolean;
      readonly decimals: number;
    };

const DURATION = /\[(?:h+|m+|s+)\]/i;
/** Matches words, escaped characters, currencies with their locale, padding, colours and conditions. */
const LITERAL = /"([^"]*)"|\\(.)|\[\$([^[\]-]*)(?:-[^[\]]*)?\]|([$€£¥₹₩₽₺])|[_*].|\[[^[\]]*\]/gu;
/** The rest of a format without its words: no date, exponent or fraction, and no scaling to thousands. */
const BODY = /^[#?,0]*[#?0](?:\.([#?0]*))?\s*(?:%\s*)?$/;
/** The groups of `LITERAL` that hold a word. */
const GROUPS = 4;
const MARK = '\u0000';
/** The text before a number, the number, and the text after it, up to the section for negative numbers. */
const PARTS = /^([\0\s()+-]*)([#?0][#?0.,\s]*(?:%\s*)?)((?:[\0()+-][\0\s()+-]*)?)(?:;|$)/;
const CONDITION = /\[[<>=]/;
/** Office programs write no longer formats. */
const MAX_CODE = 300;
const MAX_WORDS = 20;

/**
 * Returns `undefined` for a format that only changes the look of a number. Uses the first section, for
 * positive numbers.
 */
export function numberFormat(code: string): NumberFormat | undefined {
  if (code.length > MAX_CODE || CONDITION.test(code)) return undefined;
  if (DURATION.test(code)) return { kind: 'duration' };
  const words: string[] = [];
  const marked = code.replace(LITERAL, (...groups: readonly string[]) => {
    words.push(groups.slice(1, GROUPS + 1).join(''));
    return MARK;
  });
  const [, ahead = '', body = '', behind = ''] = PARTS.exec(marked) ?? [];
  const places = BODY.exec(body);
  if (places === null) return undefined;
  const wordsAhead = ahead.split(MARK).length - 1;
  const wordsBehind = behind.split(MARK).length - 1;
  const before = words
    .slice(0, wordsAhead)
    .join('')
    .trimStart()
    .replace(/\p{L}$/u, '$& ');
  const after =
    (/\s$/.test(body) || behind.startsWith(' ') ? ' ' : '') +
    words.slice(wordsAhead, wordsAhead + wordsBehind).join('');
  const isPercent = body.includes('%');
  if (before.length + after.length > MAX_WORDS) return undefined;
  if (!isPercent && (before + after).trim() === '') return undefined;
  const decimals = isPercent ? 0 : (places[1] ?? '').replace(/[^0]/g, '').length;
  return { kind: 'number', before, after: after.trimEnd(), isPercent, decimals };
}

/** The digits of a number that a workbook stores. */
const DIGITS = 15;
const HUNDRED = 100;

/** Shows all digits of the number, even if its format would round them. */
function numberText(value: number, format: NumberFormat | undefined): string {
  if (format?.kind === 'duration') return durationText(value);
  if (format === undefined) return plain(value);
  const { before, after, isPercent, decimals } = format;
  const text = plain(Math.abs(isPercent ? value * HUNDRED : value));
  const sign = value < 0 ? '-' : '';
  return `${sign}${before}${withDecimals(text, decimals)}${isPercent ? '%' : ''}${after}`;
}

function plain(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : String(value);
}

function withDecimals(text: string, decimals: number): string {
  if (decimals === 0 || !/^\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', part = ''] = text.split('.');
  return `${whole}.${part.padEnd(decimals, '0')}`;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Hours and minutes, and seconds unless they are 0: `36:30`. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_S);
  const parts = [Math.floor(seconds / HOUR_S), Math.floor((seconds % HOUR_S) / MINUTE_S), seconds % MINUTE_S];
  const shown = parts.at(-1) === 0 ? parts.slice(0, -1) : parts;
  return (days < 0 ? '-' : '') + shown.map((it) => String(it).padStart(2, '0')).join(':');
}
