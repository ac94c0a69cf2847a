// A sheet of a workbook and its cells as text. A format counts as far as it changes what a number means: percent,
// currencies, units, durations. Pure.

/** A sheet without cells is there, and says so. */
export function sheetText(name: string, table: string): string {
  return `## ${name.replace(/\s+/g, ' ').trim()}\n\n${table === '' ? '_Empty sheet._' : table}`;
}

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
/** Words, escaped characters, currencies with their place, padding, and colours and conditions. */
const LITERAL = /"([^"]*)"|\\(.)|\[\$([^[\]-]*)(?:-[^[\]]*)?\]|([$€£¥₹₩₽₺])|[_*].|\[[^[\]]*\]/gu;
/** What is left of a number when its words are gone: no date, no power, no fraction, and not in thousands. */
const BODY = /^[#?,0]*[#?0](?:\.([#?0]*))?\s*(?:%\s*)?$/;
/** Groups of it that hold a word. */
const GROUPS = 4;
const MARK = '\u0000';
/** Before a number, the number, and what is after it, up to the part for negative ones. */
const PARTS = /^([\0\s()+-]*)([#?0][#?0.,\s]*(?:%\s*)?)((?:[\0()+-][\0\s()+-]*)?)(?:;|$)/;
const CONDITION = /\[[<>=]/;
/** Of what office programs write. */
const MAX_CODE = 300;
const MAX_WORDS = 20;

/** `undefined` for a format that only changes how a number looks; its first part, for positive numbers, counts. */
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

/** The digits that a workbook keeps of a number. */
const DIGITS = 15;
const HUNDRED = 100;

/** All digits that the number has, whatever its format would round. */
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

/** Hours, minutes, and seconds where there are any: `36:30`. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_S);
  const parts = [Math.floor(seconds / HOUR_S), Math.floor((seconds % HOUR_S) / MINUTE_S), seconds % MINUTE_S];
  const shown = parts.at(-1) === 0 ? parts.slice(0, -1) : parts;
  return (days < 0 ? '-' : '') + shown.map((it) => String(it).padStart(2, '0')).join(':');
}
