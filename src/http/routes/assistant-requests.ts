// The bodies that the assistant routes read.
import { z } from 'zod';
import { boundedObject, metadataObject } from '../../messages/bounded-json.ts';

const MAX_LISTED = 1_000;

const page = {
  limit: z.int().min(1).max(MAX_LISTED).default(10),
  offset: z.int().min(0).default(0),
  metadata: metadataObject.optional(),
};

export const assistantFilterSchema = z
  .object({
    graph_id: z.string().max(128).optional(),
    /** A part of the name, in any case. */
    name: z.string().max(128).optional(),
    metadata: metadataObject.optional(),
  })
  .meta({ id: 'AssistantFilter', examples: [{ graph_id: 'lead_agent' }] });

export const assistantSearchSchema = assistantFilterSchema
  .extend({
    ...page,
    sort_by: z.enum(['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at']).default('created_at'),
    sort_order: z.enum(['asc', 'desc']).default('desc'),
    /** Names of fields to answer; unknown ones are left out. */
    select: z.array(z.string().max(128)).max(100).optional(),
  })
  .meta({ id: 'AssistantSearch', examples: [{ graph_id: 'lead_agent', limit: 10 }] });

export const assistantVersionsSchema = z.object(page).meta({ examples: [{ limit: 10 }] });
export const latestVersionSchema = z.object({ version: z.int() }).meta({ examples: [{ version: 1 }] });
/** What a client would make or change; none of it is looked at. */
export const assistantChangeSchema = boundedObject({ keys: 64, bytes: 65_536 });

export type AssistantFilter = z.output<typeof assistantFilterSchema>;
export type AssistantSearch = z.output<typeof assistantSearchSchema>;
