// The bodies that the thread routes read.
import { z } from 'zod';
import { boundedObject, metadataObject } from '../../messages/bounded-json.ts';
import type { JsonObject } from '../../messages/message.ts';
import { stateFieldsSchema } from '../../runs/request/state-fields.ts';
import { isThreadId } from '../api/own-thread.ts';
import { isExtractPath } from './extracted-values.ts';

const METADATA_KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_LISTED = 1000;
const EXTRACTS = { keys: 10, bytes: 4_096 };

const threadId = z
  .string()
  .refine(isThreadId, 'A thread id has 1 to 64 letters, digits, "_" and "-"')
  .meta({ maxLength: 64 });

/** Keys become part of a database query's parameters, so their form is fixed. */
const metadataFilter = metadataObject.refine(
  (metadata: JsonObject) => Object.keys(metadata).every((key) => METADATA_KEY.test(key)),
  'A metadata key has 1 to 64 letters, digits, "_", "." and "-"',
);

const MAX_SUPERSTEPS = 500;
const MAX_UPDATES = 100;

/** States that a new thread begins with, as changes in the order of time. */
const superstep = z.object({
  updates: z
    .array(z.object({ values: stateFieldsSchema.nullish(), as_node: z.string().min(1).max(128).nullish() }))
    .max(MAX_UPDATES),
});

export const createThreadSchema = z
  .object({
    thread_id: threadId.optional(),
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
    ids: z.array(threadId).max(MAX_LISTED).optional(),
    /** Of the state; objects have at least these fields, all else is equal. */
    values: metadataObject
      .refine((values: JsonObject) => !Object.hasOwn(values, 'messages'), 'Messages are found at /api/search')
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
      /** Names for values to answer under `extracted`, with their paths, as `values.messages[-1].content`. */
      extract: boundedObject(EXTRACTS)
        .refine(
          (paths: JsonObject) => Object.values(paths).every(isExtractPath),
          'A path begins with values, metadata, interrupts or config, as values.messages[-1].content',
        )
        .optional(),
      /** Names of fields to answer; unknown ones are left out. */
      select: z.array(z.string().max(128)).max(100).optional(),
    })
    .meta({
      id: 'ThreadSearch',
      examples: [{ metadata: { project: 'tea' }, limit: 20, sort_by: 'updated_at' }],
    });
}

export type ThreadSearch = z.output<ReturnType<typeof threadSearchSchema>>;
