// Collects the JSON Schemas of an OpenAPI document, named ones as its components.
import { z } from 'zod';

/** `input`: what a client may send; `output`: what it gets. */
type Direction = 'input' | 'output';

export interface ApiSchemas {
  /** The schema as JSON Schema; parts with an id of their own become references. */
  write(schema: z.ZodType, direction: Direction): object;
  /** All parts that were referred to, by name. */
  components(): Readonly<Record<string, unknown>>;
}

export function createApiSchemas(): ApiSchemas {
  const components = new Map<string, unknown>();
  const anonymous = new Map<string, string>();

  /** A recursive part without an id has a name that is unique in its own schema only. */
  function componentName(name: string, definition: string): string {
    if (!name.startsWith('__')) return name;
    const key = definition.replaceAll(name, '');
    const known = anonymous.get(key) ?? `Shared${anonymous.size + 1}`;
    anonymous.set(key, known);
    return known;
  }

  return {
    write(schema, direction) {
      const {
        $schema: _,
        $defs = {},
        ...own
      } = z.toJSONSchema(schema, {
        io: direction,
        // What only code can check is shown as anything.
        unrepresentable: 'any',
      });
      const names = Object.entries($defs).map(([name, definition]) => ({
        name,
        definition,
        component: componentName(name, JSON.stringify(definition)),
      }));
      const relocated = (value: object): object => {
        let text = JSON.stringify(value);
        for (const { name, component } of names) {
          text = text.replaceAll(`"#/$defs/${name}"`, `"#/components/schemas/${component}"`);
        }
        return JSON.parse(text);
      };
      for (const { component, definition } of names) components.set(component, relocated(definition));
      return relocated(own);
    },
    components: () => Object.fromEntries(components),
  };
}
