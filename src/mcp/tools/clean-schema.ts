// The schema of a tool's arguments as a server gives it: checked, because a provider refuses the whole prompt for a bad one.
import type { Json, JsonObject } from '../../messages/message.ts';
import { withoutHidden } from '../hidden-signs.ts';

const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 32;
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Providers take none of these at the top; the server checks arguments anyway. */
const NOT_AT_THE_TOP = new Set([
  '$schema',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
]);

export type CleanSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  /** A clause: why it is no schema of arguments. */
  | { readonly ok: false; readonly problem: string };

/** Without signs that nobody sees. Always of the type `object` and with `properties`. */
export function cleanSchema(given: unknown): CleanSchema {
  if (!isObject(given)) return { ok: false, problem: 'its schema is no object' };
  if (JSON.stringify(given).length > MAX_CHARACTERS)
    return { ok: false, problem: 'its schema is larger than 64 KB' };
  if (given.type !== undefined && given.type !== 'object')
    return { ok: false, problem: 'its arguments are no object' };
  try {
    const entries = Object.entries(cleanedSchema(given, 0)).filter(([key]) => !NOT_AT_THE_TOP.has(key));
    return { ok: true, schema: { properties: {}, ...Object.fromEntries(entries), type: 'object' } };
  } catch (error) {
    if (error instanceof NoSchema) return { ok: false, problem: error.message };
    throw error;
  }
}

class NoSchema extends Error {}

type SchemaKind = 'schema' | 'schemas' | 'named schemas' | 'schema or schemas' | 'names' | 'list' | 'type';

const KEYWORDS: Readonly<Record<string, SchemaKind>> = {
  type: 'type',
  properties: 'named schemas',
  patternProperties: 'named schemas',
  $defs: 'named schemas',
  definitions: 'named schemas',
  items: 'schema or schemas',
  prefixItems: 'schemas',
  additionalProperties: 'schema',
  anyOf: 'schemas',
  oneOf: 'schemas',
  allOf: 'schemas',
  not: 'schema',
  required: 'names',
  enum: 'list',
};

function cleanedSchema(schema: Readonly<Record<string, unknown>>, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new NoSchema(`its schema is more than ${MAX_DEPTH} levels deep`);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      withoutHidden(key),
      cleanedValue(value, Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key] : undefined, depth),
    ]),
  );
}

function cleanedValue(value: unknown, kind: SchemaKind | undefined, depth: number): Json {
  switch (kind) {
    case 'schema':
      return subSchema(value, depth);
    case 'schemas':
      return listOf(value).map((it) => subSchema(it, depth));
    case 'schema or schemas':
      return Array.isArray(value) ? value.map((it) => subSchema(it, depth)) : subSchema(value, depth);
    case 'named schemas':
      if (!isObject(value)) throw new NoSchema(NOT_A_SCHEMA);
      return Object.fromEntries(
        Object.entries(value).map(([name, it]) => [withoutHidden(name), subSchema(it, depth)]),
      );
    case 'names':
      return listOf(value).map(nameIn);
    case 'list':
      return listOf(value).map((it) => cleanedJson(it, depth));
    case 'type':
      return Array.isArray(value) ? value.map(typeIn) : typeIn(value);
    case undefined:
      return cleanedJson(value, depth);
    default:
      return kind satisfies never;
  }
}

const NOT_A_SCHEMA = 'its schema is not JSON Schema';

function subSchema(value: unknown, depth: number): Json {
  if (typeof value === 'boolean') return value;
  if (!isObject(value)) throw new NoSchema(NOT_A_SCHEMA);
  return cleanedSchema(value, depth + 1);
}

function nameIn(value: unknown): string {
  if (typeof value !== 'string') throw new NoSchema(NOT_A_SCHEMA);
  return withoutHidden(value);
}

function typeIn(value: unknown): string {
  if (typeof value === 'string' && TYPES.has(value)) return value;
  throw new NoSchema('its schema has a type that there is not');
}

function cleanedJson(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw new NoSchema(`its schema is more than ${MAX_DEPTH} levels deep`);
  if (typeof value === 'string') return withoutHidden(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map((it) => cleanedJson(it, depth + 1));
  if (!isObject(value)) throw new NoSchema(NOT_A_SCHEMA);
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [withoutHidden(key), cleanedJson(it, depth + 1)]),
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new NoSchema(NOT_A_SCHEMA);
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
