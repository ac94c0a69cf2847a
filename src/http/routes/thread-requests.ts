// Request bodies of the thread routes.
import { z } from 'zod';
import { boundedObject, metadataObject } from '../../messages/bounded-json.ts';
import type { Json, JsonObject } from '../../messages/message.ts';
import { stateFieldsSchema } from '../../runs/request/state-fields.ts';
import { isThreadId } from '../api/route-access.ts';

const METADATA_KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_LISTED = 1000;
const EXTRACTS = { keys: 10, bytes: 4_096 };

/** The id of a thread in a request body. */
export const threadIdInput = z
  .string()
  .refine(isThreadId, 'A thread id has 1 to 64 letters, digits, "_" and "-"')
  .meta({ maxLength: 64 });

/** Keys become part of a database query's parameters, so their format is fixed. */
const metadataFilter = metadataObject.refine(
  (metadata: JsonObject) => Object.keys(metadata).every((key) => METADATA_KEY.test(key)),
  'A metadata key has 1 to 64 letters, digits, "_", "." and "-"',
);

const MAX_SUPERSTEPS = 500;
const MAX_UPDATES = 100;

/** Initial states of a new thread, as changes in chronological order. */
const superstep = z.object({
  updates: z
    .array(z.object({ values: stateFieldsSchema.nullish(), as_node: z.string().min(1).max(128).nullish() }))
    .max(MAX_UPDATES),
});

export const createThreadSchema = z
  .object({
    thread_id: threadIdInput.optional(),
    metadata: metadataObject.optional(),
    assistant_id: z.string().max(128).optional(),
    if_exists: z.enum(['raise', 'do_nothing']).optional(),
    supersteps: z.array(superstep).max(MAX_SUPERSTEPS).optional(),
  })
  .meta({ id: 'CreateThread', examples: [{ metadata: { project: 'tea' } }] });

export type CreateThread = z.output<typeof createThreadSchema>;

export const patchThreadSchema = z
  .object({ metadata: metadataObject.optional() })
  .meta({ id: 'PatchThread', examples: [{ metadata: { project: 'honey' } }] });

export const threadCountSchema = z
  .object({
    metadata: metadataFilter.optional(),
    status: z.enum(['idle', 'busy', 'interrupted', 'error']).optional(),
    ids: z.array(threadIdInput).max(MAX_LISTED).optional(),
    /** Values of the state. Objects must have at least these fields; all other values must be equal. */
    values: metadataObject
      .refine((values: JsonObject) => !Object.hasOwn(values, 'messages'), 'Search messages at /api/search')
      .optional(),
  })
  .meta({ id: 'ThreadFilter', examples: [{ metadata: { project: 'tea' }, status: 'idle' }] });

export function threadSearchSchema(defaultLimit: number) {
  return threadCountSchema
    .extend({
      limit: z.int().min(1).max(MAX_LISTED).default(defaultLimit),
      offset: z.int().min(0).default(0),
      sort_by: z
        .enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'])
        .default('updated_at'),
      sort_order: z.enum(['asc', 'desc']).default('desc'),
      /** Names for values under `extracted`, with their paths, such as `values.messages[-1].content`. */
      extract: boundedObject(EXTRACTS)
        .refine(
          (paths: JsonObject) => Object.values(paths).every(isExtractPath),
          'A path begins with values, metadata, interrupts or config, such as values.messages[-1].content',
        )
        .optional(),
      /** Names of fields to return; unknown ones are ignored. */
      select: z.array(z.string().max(128)).max(100).optional(),
    })
    .meta({
      id: 'ThreadSearch',
      examples: [{ metadata: { project: 'tea' }, limit: 20, sort_by: 'updated_at' }],
    });
}

export type ThreadSearch = z.output<ReturnType<typeof threadSearchSchema>>;

/** A root, then names after dots and indexes in brackets. Negative indexes count from the end. */
const PATH = /^(values|metadata|interrupts|config)((?:\.[A-Za-z0-9_-]{1,64}|\[-?\d{1,6}\]){0,16})$/;
const STEP = /\.([A-Za-z0-9_-]+)|\[(-?\d+)\]/g;

export function isExtractPath(path: Json): path is string {
  return typeof path === 'string' && path.length <= 256 && PATH.test(path);
}

export function leadsToValues(path: string): boolean {
  return path.startsWith('values');
}

/** Returns the values at the paths. A missing value is `null`. */
export function extracted(thread: object, paths: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(paths).map(([alias, path]) => [alias, valueAt(thread, path)]));
}

function valueAt(thread: object, path: string): unknown {
  const [, root = '', steps = ''] = PATH.exec(path) ?? [];
  let value = fieldOf(thread, root);
  for (const [, name, place] of steps.matchAll(STEP))
    value = name === undefined ? itemOf(value, Number(place)) : fieldOf(value, name);
  return value;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const own = Object.entries(value).find(([key]) => key === name);
  return own?.[1] ?? null;
}

function itemOf(value: unknown, place: number): unknown {
  return Array.isArray(value) ? (value.at(place) ?? null) : null;
}
