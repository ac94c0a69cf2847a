// Schemas of free JSON from clients: any keys and values, but limited in number and size.
import { z } from 'zod';
import type { Json, JsonObject } from './message.ts';

export interface JsonBounds {
  /** Keys of the object itself. Nested objects count only by their bytes. */
  readonly keys: number;
  /** UTF-8 bytes of the JSON text. */
  readonly bytes: number;
}

/** Bounds of metadata and settings, which are for look-ups and lists and hold no content. */
const METADATA: JsonBounds = { keys: 64, bytes: 16_384 };
const MEBIBYTE = 1_048_576;
/** Characters of the longest number, such as `-1.2345678901234567e-300`. */
const LONGEST_NUMBER = 24;

/** Returns the schema of an object within the bounds, which the API's document and error messages name. */
export function boundedObject(bounds: JsonBounds) {
  const problem = (value: unknown): string | undefined =>
    isObject(value) ? objectProblem(value, bounds) : 'Input should be an object';
  return z
    .custom<JsonObject>((value) => problem(value) === undefined, { error: ({ input }) => problem(input) })
    .meta({
      type: 'object',
      additionalProperties: true,
      maxProperties: bounds.keys,
      'x-max-bytes': bounds.bytes,
    });
}

export const metadataObject = boundedObject(METADATA);
/** Data that a message or a tool call carries besides its text. */
export const contentObject = boundedObject({ keys: 256, bytes: MEBIBYTE });
/** Whole messages or values of a state: as much as fits into a body. */
export const stateObject = boundedObject({ keys: 1_000, bytes: 4 * MEBIBYTE });

/** Any JSON of at most one mebibyte. */
export const jsonValue = z
  .custom<Json>((value) => value !== undefined, 'Field required')
  .superRefine((value, context) => {
    const message = sizeProblem(value, MEBIBYTE);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ 'x-max-bytes': MEBIBYTE });

/** Returns what is wrong with metadata, or with what a change would make of it; `undefined` if nothing is. */
export function metadataProblem(metadata: JsonObject): string | undefined {
  return objectProblem(metadata, METADATA);
}

/** Returns how many bytes metadata counts for in a quota: those of its JSON text, or 0 when it is empty. */
export function metadataBytes(metadata: JsonObject): number {
  return Object.keys(metadata).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** Bodies come from a JSON parser, so an object holds nothing but JSON. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectProblem(value: JsonObject, { keys, bytes }: JsonBounds): string | undefined {
  const count = Object.keys(value).length;
  if (count > keys) return `Has ${count} keys; at most ${keys} are allowed`;
  return sizeProblem(value, bytes);
}

function sizeProblem(value: Json, bytes: number): string | undefined {
  if (mostBytesLeft(value, bytes) >= 0) return undefined;
  return bytesLeft(value, bytes) < 0 ? `Is larger than ${bytes} bytes of JSON` : undefined;
}

/** Returns a lower bound, as if every character were escaped into six bytes: enough for small values. */
function mostBytesLeft(value: Json, left: number): number {
  if (typeof value === 'string') return left - 6 * value.length - 2;
  if (typeof value !== 'object' || value === null) return left - LONGEST_NUMBER;
  let rest = left - 2;
  for (const key of Array.isArray(value) ? [] : Object.keys(value)) rest -= 6 * key.length + 3;
  for (const child of Object.values<Json>(value)) {
    if (rest < 0) return rest;
    rest = mostBytesLeft(child, rest - 1);
  }
  return rest;
}

/**
 * Returns how many of the bytes the JSON text of the value leaves. Stops when none is left, so that a large
 * value is not measured to its end. The body parser limits the depth.
 */
function bytesLeft(value: Json, left: number): number {
  if (typeof value !== 'object' || value === null) return left - scalarBytes(value, left);
  let rest = left - 2;
  for (const [key, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const name = typeof key === 'string' ? scalarBytes(key, rest) + 1 : 0;
    rest = bytesLeft(child, rest - name - 1);
    if (rest < 0) return rest;
  }
  // There is one comma fewer than there are values.
  return rest + (rest === left - 2 ? 0 : 1);
}

function scalarBytes(value: string | number | boolean | null, left: number): number {
  if (typeof value !== 'string') return String(value).length;
  // Escaping makes it even longer.
  return value.length > left ? value.length : Buffer.byteLength(JSON.stringify(value));
}
