// Schemas of parameters that are not plain text.
import { z } from 'zod';
import { jsonIn } from '../../json/unknown-json.ts';

const MAX_TEXT = 4_096;
const MAX_LISTED = 256;

/**
 * Accepts both `?a=x&a=y` and `?a=["x","y"]`, because SDK versions differ. A single `?a=x` is a list of one.
 */
export function queryList() {
  return z
    .union([z.string().max(MAX_TEXT), z.array(z.string().max(MAX_TEXT)).max(MAX_LISTED)])
    .transform((value) => (typeof value === 'string' ? listOf(value) : value));
}

/** Like `queryList`, for names without commas: `?a=x,y` is a list of two, and empty text an empty list. */
export function queryNames() {
  return queryList().transform((texts) => {
    const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
    return [...new Set(names.filter((name) => name !== ''))];
  });
}

export function queryInteger({ min, max }: { readonly min: number; readonly max: number }) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'Input should be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** The size of a page. `what` names the listed things in the plural. */
export function queryLimit(what: string, { max, usual }: { readonly max: number; readonly usual: number }) {
  return queryInteger({ min: 1, max }).default(usual).describe(`${what} to answer, at most`);
}

/** The start of a page. */
export function queryOffset(what: string, max = 1_000_000) {
  return queryInteger({ min: 0, max }).default(0).describe(`${what} to pass over`);
}

/** A time in ISO 8601, which becomes epoch milliseconds. Also for request bodies. */
export function timeInput(example = '2026-11-21T09:30:00Z') {
  return z.iso
    .datetime({ offset: true })
    .max(64)
    .meta({ examples: [example] })
    .transform(Date.parse);
}

export function queryBoolean() {
  return z
    .enum(['true', 'false', '1', '0'])
    .transform((value) => value === 'true' || value === '1')
    .meta({ type: 'boolean' });
}

function listOf(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  const parsed = z.array(z.string()).safeParse(jsonIn(text));
  return parsed.success ? parsed.data : [text];
}
