// Where schemas lie inside a schema, and whether its references lead to something in it, and end.
import { isJsonObject, type Json, type JsonObject } from '../../messages/message.ts';
import { NoSchema } from './newest-form.ts';

const REFERENCES = ['$ref', '$dynamicRef'];
const SHOWN_REFERENCE = 100;

/** Returns the target of a reference within the schema; `undefined` when there is none, or it is outside. */
export function referred(root: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = unescaped(part);
    if (!isContainer(found) || key === undefined || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** Throws `NoSchema` for a reference that is missing or never ends. Recursion as in trees is fine. */
export function requireReferences(root: JsonObject): void {
  const judged = new Set<Json>();
  const underWay = new Set<Json>();
  const judge = (schema: Json): void => {
    if (!isJsonObject(schema) || judged.has(schema)) return;
    if (underWay.has(schema)) throw new NoSchema('its schema has a reference that leads back to itself');
    underWay.add(schema);
    for (const target of targetsOf(schema, root)) judge(target);
    for (const inner of innerSchemas(schema, true)) judge(inner);
    underWay.delete(schema);
    judged.add(schema);
  };
  const all: Json[] = [root];
  for (let schema = all.pop(); schema !== undefined; schema = all.pop()) {
    judge(schema);
    if (!isJsonObject(schema)) continue;
    for (const inner of [...innerSchemas(schema, false), ...innerSchemas(schema, true)]) all.push(inner);
  }
}

function targetsOf(schema: JsonObject, root: JsonObject): readonly Json[] {
  const references = REFERENCES.flatMap((keyword) => {
    const reference = schema[keyword];
    return typeof reference === 'string' ? [reference] : [];
  });
  return references.map((reference) => {
    const target = referred(root, reference);
    if (typeof target === 'boolean' || isJsonObject(target)) return target;
    const shown = reference.slice(0, SHOWN_REFERENCE);
    throw new NoSchema(`its schema refers to '${shown}', which is not in it`);
  });
}

/** Returns the inner schemas that judge the same value, or those that judge a part of it. */
function innerSchemas(schema: JsonObject, inPlace: boolean): readonly Json[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const known = KEYWORDS.get(keyword);
    if (known === undefined || known.isInPlace !== inPlace) return [];
    return known.place === 'schema' ? [value] : Object.values(value ?? {});
  });
}

function isContainer(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

type Place = 'schema' | 'schemas' | 'named schemas';

interface Keyword {
  readonly place: Place;
  /** Whether the inner schema judges the same value: a reference back to itself there never ends. */
  readonly isInPlace: boolean;
}

const of = (place: Place, isInPlace = false): Keyword => ({ place, isInPlace });

/** Keywords of all drafts. Obsolete ones are listed to be converted to the newest form. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ['properties', of('named schemas')],
  ['patternProperties', of('named schemas')],
  ['$defs', of('named schemas')],
  ['definitions', of('named schemas')],
  ['dependencies', of('named schemas')],
  ['dependentSchemas', of('named schemas', true)],
  ['items', of('schema')],
  ['prefixItems', of('schemas')],
  ['additionalItems', of('schema')],
  ['unevaluatedItems', of('schema')],
  ['contains', of('schema')],
  ['additionalProperties', of('schema')],
  ['unevaluatedProperties', of('schema')],
  ['propertyNames', of('schema')],
  ['contentSchema', of('schema')],
  ['anyOf', of('schemas', true)],
  ['oneOf', of('schemas', true)],
  ['allOf', of('schemas', true)],
  ['not', of('schema', true)],
  ['if', of('schema', true)],
  ['then', of('schema', true)],
  ['else', of('schema', true)],
]);
