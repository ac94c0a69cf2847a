// Collects the JSON Schemas of an OpenAPI document. Named schemas become its components.
import { z } from 'zod';

/** `input` is what a client may send, `output` what it receives. */
type Direction = 'input' | 'output';

interface ApiContent {
  readonly schema: object;
  readonly example?: unknown;
}

export function createApiSchemas() {
  const components = new Map<string, unknown>();
  // Cached, because many operations share the same schemas, above all errors.
  const contents = { input: new Map<z.ZodType, ApiContent>(), output: new Map<z.ZodType, ApiContent>() };

  /** Returns the schema as JSON Schema. Parts with their own id become references. */
  function write(schema: z.ZodType, direction: Direction): object {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      io: direction,
      // JSON Schema cannot express a check in code. Its value is described as any value.
      unrepresentable: 'any',
      override: ({ jsonSchema }) => withoutStringRules(jsonSchema),
    });
    for (const [name, definition] of Object.entries($defs)) components.set(name, relocated(definition));
    return relocated(own);
  }

  return {
    write,
    /** Returns the content of a body or response: the schema with an example, unless it is binary. */
    content(type: z.ZodType, direction: Direction): ApiContent {
      const known = contents[direction].get(type);
      if (known !== undefined) return known;
      const schema = write(type, direction);
      const isBytes = 'format' in schema && schema.format === 'binary';
      const content = isBytes ? { schema } : { schema, example: exampleOf(schema, components) };
      contents[direction].set(type, content);
      return content;
    },
    /** Returns all referenced parts by name. */
    components: () => Object.fromEntries(components),
  };
}

export type ApiSchemas = ReturnType<typeof createApiSchemas>;

/** Returns the schema with its references pointing to the document's components. */
function relocated(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Removes text rules: numbers and booleans in queries arrive as text but are documented by their type. */
function withoutStringRules(schema: Record<string, unknown>): void {
  if (schema.type !== 'integer' && schema.type !== 'boolean') return;
  for (const rule of ['enum', 'pattern', 'minLength', 'maxLength']) delete schema[rule];
}

type Components = ReadonlyMap<string, unknown>;

const COMPONENT = '#/components/schemas/';

const schemaShape = z.object({
  $ref: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  /** If there are several types, the first one. */
  type: z.preprocess((type) => (Array.isArray(type) ? type[0] : type), z.string().optional()),
  items: z.unknown().optional(),
  prefixItems: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  minimum: z.number().default(0),
});
type SchemaShape = z.output<typeof schemaShape>;

/** Returns an example for a JSON Schema with references to components. */
export function exampleOf(schema: unknown, components: Components): unknown {
  const shape = schemaShape.parse(schema);
  if (shape.$ref !== undefined)
    return exampleOf(components.get(shape.$ref.slice(COMPONENT.length)), components);
  const [own] =
    shape.examples ?? [shape.const, shape.default, shape.enum?.[0]].filter((it) => it !== undefined);
  if (own !== undefined) return own;
  const [part] = shape.anyOf ?? shape.allOf ?? [];
  return part === undefined ? ofType(shape, components) : exampleOf(part, components);
}

function ofType(shape: SchemaShape, components: Components): unknown {
  const { type, items, prefixItems, minimum } = shape;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .filter(([name, property]) => shape.required.includes(name) || hasExample(property))
          .map(([name, property]) => [name, exampleOf(property, components)]),
      );
    case 'array':
      if (prefixItems !== undefined) return prefixItems.map((item) => exampleOf(item, components));
      return items === undefined ? [] : [exampleOf(items, components)];
    case 'integer':
    case 'number':
      return minimum;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'text';
  }
}

function hasExample(schema: unknown): boolean {
  return schemaShape.parse(schema).examples !== undefined;
}
