// The schema of a tool's arguments without what OpenAI refuses: the tool checks its arguments itself.
import type { Json, JsonObject } from '../../messages/message.ts';

/** Keywords under which there is a schema or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'additionalItems', 'items', 'contains', 'not', 'if', 'then', 'else'],
  ...['allOf', 'anyOf', 'oneOf'],
]);
/** Keywords under which there are schemas by names. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'definitions', '$defs', 'dependencies'],
]);

const LOOKAROUND = /\(\?<?[=!]/;

/** Without `propertyNames`, patterns that look around, and an `allOf` that is nothing but a reference. */
export function openAiSchema(schema: JsonObject): JsonObject {
  const { $ref, ...rest } = without(schema);
  // The schema itself must be an object, and no reference to one.
  const named = typeof $ref === 'string' && schema.$ref === undefined ? definitionIn(rest, $ref) : undefined;
  if (named !== undefined) return { ...named, ...rest };
  return $ref === undefined ? rest : { ...rest, $ref };
}

function without(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword, value]) => !isRefused(keyword, value));
  const inner = Object.fromEntries(kept.map(([keyword, value]) => [keyword, innerOf(keyword, value)]));
  const { allOf, ...rest } = inner;
  const reference = onlyReferenceIn(allOf);
  return reference === undefined ? inner : { ...rest, $ref: reference };
}

function isRefused(keyword: string, value: Json): boolean {
  if (keyword === 'propertyNames') return true;
  return keyword === 'pattern' && typeof value === 'string' && LOOKAROUND.test(value);
}

function innerOf(keyword: string, value: Json): Json {
  if (SCHEMAS.has(keyword)) return Array.isArray(value) ? value.map(schemaOf) : schemaOf(value);
  if (!NAMED_SCHEMAS.has(keyword) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, schemaOf(schema)]));
}

function schemaOf(value: Json): Json {
  return isObject(value) ? without(value) : value;
}

function onlyReferenceIn(allOf: Json | undefined): string | undefined {
  const [only, ...others]: readonly Json[] = Array.isArray(allOf) ? allOf : [];
  if (only === undefined || others.length > 0 || !isObject(only)) return undefined;
  return typeof only.$ref === 'string' && Object.keys(only).length === 1 ? only.$ref : undefined;
}

function definitionIn(schema: JsonObject, reference: string): JsonObject | undefined {
  const [, keyword = '', name = ''] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? [];
  const definitions = schema[keyword];
  const found = isObject(definitions)
    ? definitions[name.replaceAll('~1', '/').replaceAll('~0', '~')]
    : undefined;
  return isObject(found) ? found : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
