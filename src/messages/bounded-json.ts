// Schemas of free JSON that somebody sends: any keys and values, but only so many and so large.
import { z } from 'zod';
import type { Json, JsonObject } from './message.ts';

export interface JsonBounds {
  /** Of the object itself; of objects inside of it only the bytes count. */
  readonly keys: number;
  /** Of the JSON text, in UTF-8. */
  readonly bytes: number;
}

/** Of metadata and of settings: what is looked up by and shown in lists, not what holds content. */
const METADATA: JsonBounds = { keys: 64, bytes: 16_384 };
const MEBIBYTE = 1_048_576;
/** Characters of a number, `-1.2345678901234567e-300` at most. */
const LONGEST_NUMBER = 24;

/** A JSON object within the bounds, which are said in the API's document and in what is wrong with a larger one. */
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
/** What a message or a tool call carries beside its text. */
export const contentObject = boundedObject({ keys: 256, bytes: MEBIBYTE });
/** What holds whole messages or values of a state: as much as fits into a body. */
export const stateObject = boundedObject({ keys: 1_000, bytes: 4 * MEBIBYTE });

/** Any JSON, of at most a mebibyte. */
export const jsonValue = z
  .custom<Json>((value) => value !== undefined, 'Field required')
  .superRefine((value, context) => {
    const message = sizeProblem(value, MEBIBYTE);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ 'x-max-bytes': MEBIBYTE });

/** What is wrong with metadata, also with that which a change would leave; `undefined` for nothing. */
export function metadataProblem(metadata: JsonObject): string | undefined {
  return objectProblem(metadata, METADATA);
}

/** What metadata counts for in a quota: the bytes of its JSON text; 0 for none. */
export function metadataBytes(metadata: JsonObject): number {
  return Object.keys(metadata).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** Bodies come out of a JSON parser, so what is an object holds nothing but JSON. */
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

/** An escaped character takes six bytes: a small value fits whatever its texts hold, and need not be written out. */
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
 * What the text of the value leaves of the bytes: stops where nothing is left, so that a large value is not measured.
 * How deep it may be is said where bodies are parsed.
 */
function bytesLeft(value: Json, left: number): number {
  if (typeof value !== 'object' || value === null) return left - scalarBytes(value, left);
  let rest = left - 2;
  for (const [key, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const name = typeof key === 'string' ? scalarBytes(key, rest) + 1 : 0;
    rest = bytesLeft(child, rest - name - 1);
    if (rest < 0) return rest;
  }
  // There is one comma less than values.
  return rest + (rest === left - 2 ? 0 : 1);
}

function scalarBytes(value: string | number | boolean | null, left: number): number {
  if (typeof value !== 'string') return String(value).length;
  // Escaped it is longer still.
  return value.length > left ? value.length : Buffer.byteLength(JSON.stringify(value));
}
