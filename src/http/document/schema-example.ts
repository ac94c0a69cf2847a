// An example of what a schema describes: its own one, or one that is put together from those of its parts.
import { z } from 'zod';

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
  /** Of several, the first. */
  type: z.preprocess((type) => (Array.isArray(type) ? type[0] : type), z.string().optional()),
  items: z.unknown().optional(),
  prefixItems: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  minimum: z.number().default(0),
});
type SchemaShape = z.output<typeof schemaShape>;

/** A schema in JSON Schema, with references to components. What nothing is known of is `{}`. */
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
