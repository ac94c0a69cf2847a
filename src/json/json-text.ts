// From the bytes of a JSON text to a plain value that is safe to store, copy and print again.
import { validationFailed } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../messages/message.ts';

export const MAX_DEPTH = 200;
/** A body of only `[]` pairs could hold a million values, and each costs more than its two bytes. */
export const MAX_VALUES = 100_000;
/** Bytes that are checked one by one. Most strings are shorter, and a call of `indexOf` would cost more. */
const NEAR_BYTES = 64;
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COLON = 0x3a;
export const COMMA = 0x2c;
/** `[` and `{` go one level down, `]` and `}` one up. */
export const DEPTH_CHANGE = new Int8Array(256);
for (const open of '[{') DEPTH_CHANGE[open.charCodeAt(0)] = 1;
for (const close of ']}') DEPTH_CHANGE[close.charCodeAt(0)] = -1;

/**
 * Throws `validation_failed` for invalid UTF-8 or JSON, nesting deeper than 200, more than 100,000 values,
 * lone surrogates, numbers beyond the range of a double, and duplicate keys. Drops a key `__proto__`.
 */
export function parseJsonText(bytes: Uint8Array): Json {
  const shape = shapeOf(bytes);
  if (shape.depth > MAX_DEPTH) throw refused(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (shape.values > MAX_VALUES) throw refused(`The body has more than ${MAX_VALUES} values.`);
  const value = parse(decode(bytes));
  // The parser keeps one value of a duplicate key, so the objects have fewer keys than the text has colons.
  if (clean(value) < shape.keys) throw refused('An object names the same key twice.');
  return value;
}

interface Shape {
  readonly depth: number;
  readonly keys: number;
  readonly values: number;
}

/** Counts on the bytes, without recursion, before any recursive code reads the text. */
function shapeOf(bytes: Uint8Array): Shape {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COLON) keys += 1;
    else if (byte === COMMA) values += 1;
    else depth += DEPTH_CHANGE[byte] ?? 0;
    if (depth > deepest) deepest = depth;
  }
  return { depth: deepest, keys, values };
}

/** Returns the index of the quote that ends the string starting at `start`, or else `bytes.length`. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  for (const near = Math.min(bytes.length, index + NEAR_BYTES); index < near; index += 1) {
    if (bytes[index] === BACKSLASH) index += 1;
    else if (bytes[index] === QUOTE) return index;
  }
  const from = index;
  for (let end = bytes.indexOf(QUOTE, from); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (before >= from && bytes[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
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

/**
 * Checks the whole value in place: copying a large body would cost several times as much as parsing it.
 * Returns the number of keys in its objects.
 */
function clean(value: Json): number {
  if (Array.isArray(value)) return value.reduce((keys: number, child) => keys + clean(child), 0);
  if (isJsonObject(value)) return cleanFields(value);
  if (typeof value === 'string') requireWellFormed(value);
  else if (typeof value === 'number') requireFinite(value);
  return 0;
}

function cleanFields(fields: JsonObject): number {
  let keys = 0;
  for (const key of Object.keys(fields)) {
    requireWellFormed(key);
    keys += 1 + clean(fields[key] ?? null);
  }
  // The parser makes it an own property. Copying it by assignment later would change the prototype.
  if (Object.hasOwn(fields, '__proto__')) Reflect.deleteProperty(fields, '__proto__');
  return keys;
}

function requireWellFormed(text: string): void {
  if (!text.isWellFormed()) throw refused('A text contains half of a surrogate pair.');
}

function requireFinite(number: number): void {
  if (!Number.isFinite(number)) throw refused('A number is out of range.');
}

/** Returns an error for a text that is not accepted. */
export function refused(sentence: string) {
  return validationFailed(['body'], sentence, 'json_invalid');
}
