// JSON as text columns: written once, parsed where a record is read.
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../messages/message.ts';

/** Throws for a row that something else than this program has written. */
export function parseJson(text: string): Json {
  return JSON.parse(text) as Json;
}

export function parseJsonObject(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new TypeError('a stored JSON object is something else');
  return value;
}

export function parseJsonArray(text: string): readonly Json[] {
  const value = parseJson(text);
  if (!isArray(value)) throw new TypeError('a stored JSON array is something else');
  return value;
}

export function parseStrings(text: string): readonly string[] {
  return parseJsonArray(text).filter((item) => typeof item === 'string');
}

/** The same text for equal values: keys sorted at every depth. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  // Without a prototype, so that a key `__proto__` is a key.
  const result: Record<string, Json> = Object.create(null);
  for (const key of Object.keys(value).sort()) result[key] = sorted(value[key] ?? null);
  return result;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}
