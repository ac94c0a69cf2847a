// What may stand at a place of the configuration, read from the schema, and what was probably meant.
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The keys that the schema knows at `path`; empty where any key goes. */
export function knownKeysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let current: JsonSchema | undefined = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const segment of path) {
    if (current === undefined) return [];
    current = typeof segment === 'number' ? itemsOf(current) : propertyOf(current, String(segment));
  }
  return Object.keys(current?.properties ?? {});
}

/** The candidate that `text` is a slip of, if one is close enough: a letter in three, or letters in another order. */
export function closestTo(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, away: slips(normal(text), normal(candidate)) }))
    .sort((a, b) => a.away - b.away);
  const best = ranked[0];
  return best !== undefined && best.away <= Math.max(1, text.length / 3) ? best.candidate : undefined;
}

function slips(text: string, candidate: string): number {
  const isReordered = sortedLetters(text) === sortedLetters(candidate) && text !== candidate;
  return isReordered ? 1 : distance(text, candidate);
}

function sortedLetters(text: string): string {
  return [...text].sort().join('');
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/[-_ ]/g, '');
}

function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  const items = schema.items;
  return typeof items === 'object' && !Array.isArray(items) ? items : undefined;
}

function propertyOf(schema: JsonSchema, key: string): JsonSchema | undefined {
  const property = schema.properties?.[key];
  return typeof property === 'object' ? property : undefined;
}
