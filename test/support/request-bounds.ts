// Request schemas of the OpenAPI document: which parts state no bound, and the largest bodies that they allow.

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly maxProperties?: number;
  readonly examples?: readonly unknown[];
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly 'x-max-bytes'?: number;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

interface Route {
  /** `POST /api/threads` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: NonNullable<Operation['parameters']>;
  readonly json?: JsonSchema;
}

export interface RequestSchemas {
  readonly routes: readonly Route[];
  /** Parts of requests without a bound. */
  readonly unbounded: readonly string[];
  /** Returns a value of the schema about as long as the bytes allow; `branch` chooses among alternatives. */
  largest(schema: JsonSchema, bytes: number, branch: number): unknown;
  /** Returns bodies in which one part uses as many of the bytes as it may, and the others few. */
  largestParts(schema: JsonSchema, bytes: number, branch: number): readonly unknown[];
  /** Returns bodies with one text that exceeds its limit. */
  tooLong(schema: JsonSchema): readonly unknown[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const LEAST_ITEM = 24;
const LONGEST_TRIED = 100_000;

export function requestSchemas({ paths, components }: Document): RequestSchemas {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]): Route => {
      const json = requestBody?.content['application/json']?.schema;
      const name = `${method.toUpperCase()} ${path}`;
      return { name, method: method.toUpperCase(), path, parameters, ...(json !== undefined && { json }) };
    }),
  );
  const resolved = (schema: JsonSchema): JsonSchema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : resolved(components.schemas[name] ?? {});
  };

  const seen = new Set<JsonSchema>();
  function* unboundedIn(given: JsonSchema, place: string): Generator<string> {
    const schema = resolved(given);
    if (seen.has(schema)) return;
    seen.add(schema);
    if (!isBounded(schema)) yield place;
    for (const [step, part] of partsOf(schema)) yield* unboundedIn(part, `${place}${step}`);
  }

  function largest(given: JsonSchema, bytes: number, branch: number): unknown {
    const schema = resolved(given);
    const parts = (schema.anyOf ?? schema.oneOf)?.filter((part) => resolved(part).type !== 'null');
    if (parts !== undefined) return largest(parts[branch % parts.length] ?? {}, bytes, branch);
    const words = schema.const === undefined ? schema.enum : [schema.const];
    if (words !== undefined) return words[branch % words.length];
    const most = Math.min(bytes, schema['x-max-bytes'] ?? bytes);
    switch (schema.type) {
      case 'string':
        return largestText(schema, bytes);
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'array':
        return largestList(schema, bytes, branch);
      case 'object':
        return largestObject(schema, most, branch);
      default:
        return freeObject(64, most);
    }
  }

  function largestList({ prefixItems, items, maxItems }: JsonSchema, bytes: number, branch: number): unknown {
    if (prefixItems !== undefined) {
      return prefixItems.map((part) => largest(part, bytes / prefixItems.length, branch));
    }
    const count = Math.max(1, Math.min(maxItems ?? 0, Math.floor(bytes / LEAST_ITEM)));
    return Array.from({ length: count }, () => largest(items || {}, bytes / count - 1, branch));
  }

  function largestObject(schema: JsonSchema, bytes: number, branch: number): unknown {
    const known = Object.entries(schema.properties ?? {});
    const free = schema.additionalProperties === true ? (schema.maxProperties ?? 0) - known.length : 0;
    const each = bytes / (known.length + (free > 0 ? 1 : 0)) - 24;
    const fields = known.map(([key, part]) => [key, largest(part, each, branch)]);
    return {
      ...(free > 0 ? freeObject(free, known.length === 0 ? bytes : each) : {}),
      ...Object.fromEntries(fields),
    };
  }

  function withRequired(
    { properties = {}, required = [] }: JsonSchema,
    [key, value]: readonly [string, unknown],
  ) {
    const others = required
      .filter((name) => name !== key)
      .map((name) => [name, largest(properties[name] ?? {}, 64, 0)]);
    return { ...Object.fromEntries(others), [key]: value };
  }

  /** Yields each part of the schema, with a function that wraps its value into a whole body. */
  function* fieldsOf(schema: JsonSchema): Generator<[JsonSchema, (value: unknown) => unknown]> {
    for (const part of schema.anyOf ?? schema.oneOf ?? []) yield [part, (value) => value];
    if (schema.items) yield [schema.items, (value) => [value]];
    for (const [key, part] of Object.entries(schema.properties ?? {})) {
      yield [part, (value) => withRequired(schema, [key, value])];
    }
  }

  function* longTexts(given: JsonSchema): Generator {
    const schema = resolved(given);
    for (const [part, whole] of fieldsOf(schema)) for (const text of longTexts(part)) yield whole(text);
    const { type, enum: words, maxLength = Number.POSITIVE_INFINITY } = schema;
    if (type === 'string' && words === undefined && maxLength <= LONGEST_TRIED)
      yield 'x'.repeat(maxLength + 1);
  }

  function* largestParts(given: JsonSchema, bytes: number, branch: number): Generator {
    const schema = resolved(given);
    if (schema.type !== 'object') return;
    for (const [part, whole] of fieldsOf(schema)) {
      yield whole(largest(part, bytes, branch));
      for (const inner of largestParts(part, bytes, branch)) yield whole(inner);
    }
  }

  return {
    largest,
    largestParts: (schema, bytes, branch) => [...largestParts(schema, bytes, branch)],
    tooLong: (schema) => [...longTexts(schema)],
    routes,
    unbounded: routes.flatMap(({ name, parameters, json }) => [
      ...parameters.flatMap((it) => [...unboundedIn(it.schema, `${name} ${it.in} ${it.name}`)]),
      ...(json === undefined ? [] : unboundedIn(json, `${name} body`)),
    ]),
  };
}

function* partsOf({
  anyOf,
  oneOf,
  items,
  prefixItems,
  properties,
}: JsonSchema): Generator<[string, JsonSchema]> {
  for (const part of [...(anyOf ?? []), ...(oneOf ?? [])]) yield ['', part];
  for (const part of [...(items ? [items] : []), ...(prefixItems ?? [])]) yield ['[]', part];
  for (const [key, part] of Object.entries(properties ?? {})) yield [`.${key}`, part];
}

function isBounded(schema: JsonSchema): boolean {
  if (schema.anyOf !== undefined || schema.oneOf !== undefined) return true;
  if (schema.const !== undefined || schema.enum !== undefined || schema['x-max-bytes'] !== undefined)
    return true;
  switch (schema.type) {
    case 'string':
      return schema.maxLength !== undefined;
    case 'array':
      return schema.maxItems !== undefined || schema.prefixItems !== undefined;
    case 'object': {
      const isFree = (schema.additionalProperties ?? false) !== false || schema.properties === undefined;
      return !isFree || schema.maxProperties !== undefined;
    }
    default:
      return schema.type !== undefined;
  }
}

function largestText({ format, maxLength, examples = [] }: JsonSchema, bytes: number): string {
  const [example] = examples;
  if (typeof example === 'string') return example;
  if (format === 'email') return `${'a'.repeat(60)}@example.com`;
  if (format === 'date-time') return '2999-01-01T00:00:00Z';
  if (format === 'date') return '2026-11-21';
  return 'x'.repeat(Math.max(1, Math.min(maxLength ?? bytes, bytes) - 2));
}

/** Returns an object with this many keys, one value of which uses the remaining bytes. */
function freeObject(keys: number, bytes: number): object {
  const count = Math.max(1, Math.min(keys, Math.floor(bytes / LEAST_ITEM)));
  const names = Array.from({ length: count - 1 }, (_, index) => [`k${index}`, index]);
  const text = 'x'.repeat(Math.max(1, bytes - count * 16 - 16));
  return { ...Object.fromEntries(names), text };
}
