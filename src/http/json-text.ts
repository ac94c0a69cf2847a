// From the bytes of a JSON body to a plain value that is safe to store, copy and print again.
import { validationFailed } from '../errors.ts';
import type { Json } from '../messages/message.ts';

const MAX_DEPTH = 200;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` go one level down, `]` and `}` one up. */
const DEPTH_CHANGE: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
]);

/**
 * Throws `validation_failed` for invalid UTF-8, invalid JSON, nesting deeper than 200, lone surrogates and numbers
 * beyond the range of a double. Of duplicate keys the last one counts; a key `__proto__` is left out.
 */
export function parseJsonText(bytes: Uint8Array): Json {
  if (depthOf(bytes) > MAX_DEPTH) throw refused(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  const value = parse(decode(bytes));
  return plain(value);
}

/** Counted on the bytes, without recursion, before anything that recurses sees the text. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else depth += DEPTH_CHANGE.get(byte) ?? 0;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = start + 1; index < bytes.length; index += 1) {
    if (bytes[index] === BACKSLASH) index += 1;
    else if (bytes[index] === QUOTE) return index;
  }
  return bytes.length;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused('The body is not valid UTF-8.');
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('The body is not valid JSON.');
  }
}

function plain(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw refused('A number is out of range.');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(entries.map(([key, child]) => [wellFormed(key), plain(child)]));
}

function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw refused('A text contains half of a surrogate pair.');
  return text;
}

function refused(sentence: string) {
  return validationFailed(['body'], sentence, 'json_invalid');
}
