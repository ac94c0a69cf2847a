// What OpenAI accepts and refuses: parameters by the names of its models, and the schema of a tool's
// arguments, which the tool checks itself.
import { isJsonObject, type Json, type JsonObject } from '../../messages/message.ts';

export interface OpenAiModel {
  /** Accepts a `reasoning_effort`, and counts reasoning towards the length of the reply. */
  readonly isReasoning: boolean;
  /** The effort nearest to none. */
  readonly leastEffort: 'none' | 'minimal' | 'low';
  /** When a temperature is accepted: always, while the model does not reason, or never. */
  readonly temperature: 'always' | 'without-reasoning' | 'never';
  /** Tools are refused while the model reasons. */
  readonly hasToolsOnlyWithoutReasoning: boolean;
}

/** Later models that reason only when they are asked to. */
const REASON_ON_REQUEST: ReadonlySet<string> = new Set(['gpt-6.1-terra', 'gpt-6-luna', 'gpt-6-sol']);

/** Returns what a model accepts. An unknown name is taken for a model that does not reason. */
export function openAiModel(name: string): OpenAiModel {
  const gpt = gptVersionOf(name);
  const isReasoning = /^o\d+(?:-|$)/.test(name) || (gpt !== undefined && isReasoningGpt(gpt));
  return {
    isReasoning,
    leastEffort: leastEffortOf(name, gpt),
    temperature: temperatureOf(name, gpt, isReasoning),
    hasToolsOnlyWithoutReasoning: gpt?.major === 5 && gpt.minor >= 6,
  };
}

type GptVersion = NonNullable<ReturnType<typeof gptVersionOf>>;

function gptVersionOf(name: string) {
  const [matched, major, minor = '0', variant = ''] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(name) ?? [];
  return matched === undefined ? undefined : { major: Number(major), minor: Number(minor), variant };
}

function isReasoningGpt({ major, minor, variant }: GptVersion): boolean {
  return major >= 5 && !(minor === 0 && variant.startsWith('chat'));
}

function leastEffortOf(name: string, gpt: GptVersion | undefined): OpenAiModel['leastEffort'] {
  if (gpt === undefined || REASON_ON_REQUEST.has(name)) return 'none';
  if (gpt.major >= 6) return 'low';
  const isPlain = /^(?:(?:mini|nano)(?:-\d{4}-\d\d-\d\d)?|\d{4}-\d\d-\d\d)?$/.test(gpt.variant);
  return gpt.major === 5 && gpt.minor === 0 && isPlain ? 'minimal' : 'none';
}

function temperatureOf(
  name: string,
  gpt: GptVersion | undefined,
  isReasoning: boolean,
): OpenAiModel['temperature'] {
  if (/^gpt-4o-(?:mini-)?search-preview/.test(name)) return 'never';
  if (!isReasoning) return 'always';
  const isFifth = gpt?.major === 5 && gpt.minor >= 1;
  return isFifth || REASON_ON_REQUEST.has(name) ? 'without-reasoning' : 'never';
}

/** Keywords that hold a schema or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'additionalItems', 'items', 'contains', 'not', 'if', 'then', 'else'],
  ...['allOf', 'anyOf', 'oneOf'],
]);
/** Keywords that hold schemas by name. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'definitions', '$defs', 'dependencies'],
]);

const LOOKAROUND = /\(\?<?[=!]/;

/** Removes `propertyNames`, lookaround patterns, and an `allOf` that is only a reference. */
export function openAiSchema(schema: JsonObject): JsonObject {
  const { $ref, ...rest } = without(schema);
  // The schema itself must be an object, not a reference to one.
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
  if (!NAMED_SCHEMAS.has(keyword) || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, schemaOf(schema)]));
}

function schemaOf(value: Json): Json {
  return isJsonObject(value) ? without(value) : value;
}

function onlyReferenceIn(allOf: Json | undefined): string | undefined {
  const [only, ...others]: readonly Json[] = Array.isArray(allOf) ? allOf : [];
  if (only === undefined || others.length > 0 || !isJsonObject(only)) return undefined;
  return typeof only.$ref === 'string' && Object.keys(only).length === 1 ? only.$ref : undefined;
}

function definitionIn(schema: JsonObject, reference: string): JsonObject | undefined {
  const [, keyword = '', name = ''] = /^#\/(definitions|\$defs)\/(.+)$/.exec(reference) ?? [];
  const definitions = schema[keyword];
  const found = isJsonObject(definitions)
    ? definitions[name.replaceAll('~1', '/').replaceAll('~0', '~')]
    : undefined;
  return isJsonObject(found) ? found : undefined;
}
