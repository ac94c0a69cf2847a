// Parses JSON from others, which may be megabytes long, in slices, so that other work gets its turn.
import { createBreath } from '../breath.ts';
import { isJsonObject, type Json } from '../messages/message.ts';
import {
  COLON,
  COMMA,
  DEPTH_CHANGE,
  endOfString,
  MAX_DEPTH,
  parseJsonText,
  QUOTE,
  refused,
} from './json-text.ts';

/** Bytes that are parsed in one slice. */
const SLICE_BYTES = 65_536;
/** Bytes that are scanned without a pause. */
const SCANNED_BYTES = 262_144;
/** Containers down to this level are parsed in slices. */
const SLICED_LEVELS = 8;
const MAX_TEXT_BYTES = 8_388_608;

const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT_END = 0x7d;
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

export interface SliceLimits {
  readonly maxValues: number;
  /** The most bytes of a container that is nested too deep to be parsed in slices. */
  readonly maxDeepBytes: number;
}

/**
 * Returns the same value as `parseJsonText`; a short text is parsed in one call. Throws `validation_failed`
 * as that function does, but with the limits given, and for a string of more than 8 MB.
 */
export async function parseInSlices(given: Uint8Array, limits: SliceLimits): Promise<Json> {
  if (given.length <= SLICE_BYTES) return parseJsonText(given);
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  await requireShape(bytes, limits);
  return parsed(trimmed(bytes), { ...limits, breath: createBreath(), level: 0 });
}

interface Slicing extends SliceLimits {
  readonly breath: ReturnType<typeof createBreath>;
  readonly level: number;
}

async function parsed(bytes: Uint8Array, slicing: Slicing): Promise<Json> {
  if (isParsedAtOnce(bytes, slicing)) return parseJsonText(bytes);
  const items = itemsOf(bytes, slicing);
  for (const range of rangesIn(bytes)) {
    const wait = slicing.breath();
    if (wait !== undefined) await wait;
    if (range === undefined) continue;
    const { isLarge, start, end } = range;
    if (isLarge) await items.addLarge(trimmed(bytes.subarray(start, end)));
    else items.add(bytes.subarray(start, end));
  }
  return items.all;
}

function itemsOf(bytes: Uint8Array, slicing: Slicing): ListItems | ObjectItems {
  const isList = bytes[0] === LIST;
  if (bytes.at(-1) !== (isList ? LIST_END : OBJECT_END)) throw notJson();
  return isList ? new ListItems(slicing) : new ObjectItems(slicing);
}

interface Range {
  /** True for one item longer than a slice; otherwise the range holds shorter items and their commas. */
  readonly isLarge: boolean;
  readonly start: number;
  readonly end: number;
}

/** Yields the ranges of the container's items, and `undefined` after a long scan without one. */
function* rangesIn(bytes: Uint8Array): Generator<Range | undefined> {
  /** Where the items that were not yielded yet begin, and where the last of them begins. */
  let group = 1;
  let item = 1;
  for (const comma of commasIn(bytes)) {
    if (comma === undefined) yield undefined;
    else {
      if (comma - group > SLICE_BYTES) {
        yield* rangesBetween(group, item, comma);
        group = comma + 1;
      }
      item = comma + 1;
    }
  }
  if (group < bytes.length) yield { isLarge: false, start: group, end: bytes.length - 1 };
}

function* rangesBetween(group: number, item: number, comma: number): Generator<Range> {
  const isLarge = comma - item > SLICE_BYTES;
  if (isLarge && item > group) yield { isLarge: false, start: group, end: item - 1 };
  yield { isLarge, start: isLarge ? item : group, end: comma };
}

function isParsedAtOnce(bytes: Uint8Array, { level, maxDeepBytes }: Slicing): boolean {
  if (bytes.length <= SLICE_BYTES) return true;
  const first = bytes[0] ?? 0;
  if (first === QUOTE && bytes.length <= MAX_TEXT_BYTES) return true;
  if (DEPTH_CHANGE[first] === 1 && level < SLICED_LEVELS) return false;
  if (bytes.length <= maxDeepBytes) return true;
  throw refused('A single value is too large: a text of more than 8 MB, or one nested too deeply.');
}

/** Yields where items end: at commas and the last byte. Yields `undefined` after a long scan without one. */
function* commasIn(bytes: Uint8Array): Generator<number | undefined> {
  let depth = 0;
  let nextReport = 0;
  for (const index of structureOf(bytes.subarray(0, -1), 1)) {
    const byte = bytes[index] ?? 0;
    depth += DEPTH_CHANGE[byte] ?? 0;
    if (depth < 0) throw notJson();
    const isEnd = byte === COMMA && depth === 0;
    if (!isEnd && index - nextReport < SCANNED_BYTES) continue;
    nextReport = index;
    yield isEnd ? index : undefined;
  }
  if (depth !== 0) throw notJson();
  yield bytes.length - 1;
}

/** Yields positions of commas and brackets outside strings, or any position after a long scan without one. */
function* structureOf(bytes: Uint8Array, start: number): Generator<number> {
  let nextReport = start;
  for (let index = start; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    if (byte === COMMA || DEPTH_CHANGE[byte] !== 0 || index - nextReport > SCANNED_BYTES) {
      nextReport = index;
      yield index;
    }
  }
}

class ListItems {
  readonly all: Json[] = [];
  readonly #slicing: Slicing;

  constructor(slicing: Slicing) {
    this.#slicing = slicing;
  }

  add(bytes: Uint8Array): void {
    const items = parseJsonText(enclosed('[', bytes, ']'));
    if (!Array.isArray(items) || items.length === 0) throw notJson();
    for (const item of items) this.all.push(item);
  }

  async addLarge(bytes: Uint8Array): Promise<void> {
    this.all.push(await parsed(bytes, { ...this.#slicing, level: this.#slicing.level + 1 }));
  }
}

class ObjectItems {
  readonly all: Record<string, Json> = {};
  readonly #slicing: Slicing;

  constructor(slicing: Slicing) {
    this.#slicing = slicing;
  }

  add(bytes: Uint8Array): void {
    const fields = parseJsonText(enclosed('{', bytes, '}'));
    if (!isJsonObject(fields) || trimmed(bytes).length === 0) throw notJson();
    for (const [key, value] of Object.entries(fields)) this.#set(key, value);
  }

  async addLarge(bytes: Uint8Array): Promise<void> {
    const end = bytes[0] === QUOTE ? endOfString(bytes, 0) : -1;
    const key = end === -1 || end > MAX_TEXT_BYTES ? null : parseJsonText(bytes.subarray(0, end + 1));
    const rest = trimmed(bytes.subarray(end + 1));
    if (typeof key !== 'string' || rest[0] !== COLON) throw notJson();
    const value = await parsed(trimmed(rest.subarray(1)), {
      ...this.#slicing,
      level: this.#slicing.level + 1,
    });
    // `parseJsonText` drops this key as well.
    if (key !== '__proto__') this.#set(key, value);
  }

  #set(key: string, value: Json): void {
    if (Object.hasOwn(this.all, key)) throw refused('An object names the same key twice.');
    this.all[key] = value;
  }
}

/** Throws for too many values or levels. A value that takes one byte in the text takes fifty in memory. */
async function requireShape(bytes: Uint8Array, { maxValues }: SliceLimits): Promise<void> {
  const breath = createBreath();
  let values = 1;
  let depth = 0;
  for (const index of structureOf(bytes, 0)) {
    const byte = bytes[index] ?? 0;
    if (byte === COMMA) values += 1;
    depth += DEPTH_CHANGE[byte] ?? 0;
    if (values > maxValues) throw refused(`It has more than ${maxValues} values.`);
    if (depth > MAX_DEPTH) throw refused(`It is nested deeper than ${MAX_DEPTH} levels.`);
    const wait = breath();
    if (wait !== undefined) await wait;
  }
}

function trimmed(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && SPACE.has(bytes[start] ?? 0)) start += 1;
  while (end > start && SPACE.has(bytes[end - 1] ?? 0)) end -= 1;
  return bytes.subarray(start, end);
}

function enclosed(open: string, bytes: Uint8Array, close: string): Uint8Array {
  return Buffer.concat([Buffer.from(open), bytes, Buffer.from(close)]);
}

function notJson() {
  return refused('It is not valid JSON.');
}
