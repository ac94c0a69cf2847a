// The fields of a body that are looked at.
import { z } from 'zod';

/**
 * A body without what counts as absent, which is `null` but for these keys, and without what its schema ignores: tens of
 * thousands of unknown fields are not even counted, which would hold up everybody.
 */
export function givenFields(
  body: object,
  schema: z.ZodType,
  nullable: readonly string[] | undefined,
): Record<string, unknown> {
  const fields = ignoresOthers(schema) ? fieldsAmong(schema.shape, body) : Object.entries(body);
  return Object.fromEntries(
    fields.filter(([key, value]) => value !== null || nullable?.includes(key) === true),
  );
}

function ignoresOthers(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined;
}

function fieldsAmong(shape: object, body: object): [string, unknown][] {
  const known = Object.keys(shape).filter((key) => Object.hasOwn(body, key));
  return known.map((key) => [key, Reflect.get(body, key)]);
}
