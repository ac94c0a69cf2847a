// Where schemas lie inside of a schema.

type Place = 'schema' | 'schemas' | 'named schemas';

interface Keyword {
  readonly place: Place;
  /** Whether what is inside judges the same value: a reference that leads back to itself there never ends. */
  readonly isInPlace: boolean;
}

const of = (place: Place, isInPlace = false): Keyword => ({ place, isInPlace });

/** Of all drafts: those that are gone are there to be brought into the newest form. */
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
