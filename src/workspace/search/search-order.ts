// What the thread of a search is told, and what it answers.
import { z } from 'zod';

const place = z.strictObject({ userId: z.string().nullable(), threadId: z.string() });
const where = { dataHome: z.string(), place, path: z.string() };

export const searchOrderSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('glob'),
    ...where,
    pattern: z.string(),
    includeFolders: z.boolean(),
    maxResults: z.int().positive(),
  }),
  z.strictObject({
    kind: z.literal('grep'),
    ...where,
    /** A JavaScript regular expression. */
    expression: z.string(),
    isCaseSensitive: z.boolean(),
    /** Only files whose path below `path`, or whose name, matches. */
    glob: z.string().nullable(),
    maxResults: z.int().positive(),
  }),
]);

export type SearchOrder = z.output<typeof searchOrderSchema>;
export type GlobOrder = Extract<SearchOrder, { kind: 'glob' }>;
export type GrepOrder = Extract<SearchOrder, { kind: 'grep' }>;

const lineMatch = z.strictObject({ path: z.string(), line: z.int(), text: z.string() });

/** `complete` is false when there is more than is told. */
export const searchReportSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('paths'), paths: z.array(z.string()), complete: z.boolean() }),
  z.strictObject({ kind: z.literal('lines'), lines: z.array(lineMatch), complete: z.boolean() }),
  /** A sentence for the model. */
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
]);

export type SearchReport = z.output<typeof searchReportSchema>;
export type LineMatch = z.output<typeof lineMatch>;
