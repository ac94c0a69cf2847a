// Converts schemas of older drafts to the form of the newest one (2020-12), where it says the same.
import { isJsonObject, type Json, type JsonObject } from '../../messages/message.ts';
import { withoutHidden } from '../server-words.ts';

/** Why a schema cannot be sent to a provider, as a clause. */
export class NoSchema extends Error {
  override readonly name = 'NoSchema';
}

type Fields = Record<string, Json>;

const MAX_PATTERN = 1_000;
const MAX_REQUIRED = 1_000;
/** Names of arguments that all providers accept. */
const ARGUMENT_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const SHOWN_NAME = 64;
/** Keywords that name a schema or its draft. Without them, references count from the top. */
const NAMES = new Set(['$schema', '$id', 'id', '$anchor', '$dynamicAnchor', '$vocabulary']);

/** Converts one schema with converted inner ones. Throws `NoSchema` if no argument can satisfy it. */
export function newestForm(schema: JsonObject): JsonObject {
  const fields: Fields = Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => !(NAMES.has(key) && typeof value === 'string')),
  );
  listOfSchemas(fields);
  exclusiveLimit(fields, 'exclusiveMinimum', 'minimum');
  exclusiveLimit(fields, 'exclusiveMaximum', 'maximum');
  dependencies(fields);
  requiredNames(fields);
  values(fields);
  pattern(fields);
  return fields;
}

/** Converts `items` and `additionalItems`: until 2020, one for the first items and one for the others. */
function listOfSchemas(fields: Fields): void {
  const { items, additionalItems } = fields;
  if (!Array.isArray(items)) {
    // Without such a list, it has no effect.
    delete fields.additionalItems;
    return;
  }
  delete fields.items;
  delete fields.additionalItems;
  if (items.length > 0) fields.prefixItems = items;
  if (additionalItems !== undefined) fields.items = additionalItems;
}

/** Converts the boolean that draft 4 has beside the limit. */
function exclusiveLimit(fields: Fields, exclusive: string, inclusive: string): void {
  const isExclusive = fields[exclusive];
  if (typeof isExclusive !== 'boolean') return;
  delete fields[exclusive];
  const limit = fields[inclusive];
  if (!isExclusive || limit === undefined) return;
  fields[exclusive] = limit;
  delete fields[inclusive];
}

/** Splits the keyword that until 2019 held both names and schemas. */
function dependencies(fields: Fields): void {
  const { dependencies: both } = fields;
  if (!isJsonObject(both)) return;
  delete fields.dependencies;
  const names = Object.entries(both).filter(([, it]) => Array.isArray(it));
  const schemas = Object.entries(both).filter(([, it]) => !Array.isArray(it));
  if (names.length > 0) fields.dependentRequired ??= Object.fromEntries(names);
  if (schemas.length > 0) fields.dependentSchemas ??= Object.fromEntries(schemas);
}

/** Lists each name once, and declares it: some providers refuse a prompt for an undeclared one. */
function requiredNames(fields: Fields): void {
  const { required, properties, additionalProperties = {}, patternProperties } = fields;
  if (!Array.isArray(required)) return;
  if (required.length > MAX_REQUIRED)
    throw new NoSchema(`its schema requires more than ${MAX_REQUIRED} arguments`);
  const names = [...new Set(required)];
  fields.required = names;
  if (!isJsonObject(properties)) return;
  const missing = names.filter((it) => typeof it === 'string' && !Object.hasOwn(properties, it));
  if (missing.length === 0) return;
  if (additionalProperties === false && patternProperties === undefined)
    throw new NoSchema('its schema requires an argument that it does not allow');
  for (const name of missing) requireArgumentName(String(name));
  const declared = typeof additionalProperties === 'boolean' ? {} : additionalProperties;
  fields.properties = {
    ...properties,
    ...Object.fromEntries(missing.map((name) => [String(name), declared])),
  };
}

/** Throws `NoSchema` for a name that a provider refuses. */
export function requireArgumentName(name: string): void {
  if (ARGUMENT_NAME.test(name) && name !== '__proto__') return;
  const shown = withoutHidden(name).slice(0, SHOWN_NAME);
  throw new NoSchema(`its argument '${shown}' has a name that providers refuse`);
}

function values(fields: Fields): void {
  const { enum: given } = fields;
  if (!Array.isArray(given)) return;
  if (given.length === 0) throw new NoSchema('its schema has a list of values (enum) that is empty');
  fields.enum = [...new Map(given.map((it) => [JSON.stringify(it), it])).values()];
}

/** Describes an expression that is not JavaScript in words; the server checks its arguments anyway. */
function pattern(fields: Fields): void {
  const { pattern: expression, description = '' } = fields;
  if (typeof expression !== 'string' || isExpression(expression)) return;
  delete fields.pattern;
  if (typeof description !== 'string' || expression.length > MAX_PATTERN) return;
  fields.description = `${description} Matches ${expression}`.trim();
}

/** Whether the text is a regular expression. It is only parsed, so its length limits the time. */
export function isExpression(text: string): boolean {
  if (text.length > MAX_PATTERN) return false;
  try {
    return new RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}
