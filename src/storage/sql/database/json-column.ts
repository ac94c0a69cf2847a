// JSON in text columns: written once, parsed where a record is read.
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../../messages/message.ts';
import { type PackedText, unpackText } from './packed-text.ts';

/** Parses stored JSON. Throws for text that this program did not write. */
export function parseJson(text: string): Json {
  return JSON.parse(text) as Json;
}

/** Returns the content of a run event as recorded; empty text where a row has none. */
export function contentOf(content: PackedText | null, format: 'text' | 'json' | null): Json {
  const text = unpackText(content ?? '');
  return format === 'json' ? parseJson(text) : text;
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

/** Returns the same text for equal values, with keys sorted at every depth. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  // Without a prototype, so that `__proto__` is an ordinary key.
  const result: Record<string, Json> = Object.create(null);
  for (const key of Object.keys(value).sort()) result[key] = sorted(value[key] ?? null);
  return result;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
