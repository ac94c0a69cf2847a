// Lists and describes the available agents as the SDK's assistants. It neither creates nor changes any.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { notFound, ServiceError } from '../../errors.ts';
import { boundedObject, metadataObject } from '../../messages/bounded-json.ts';
import type { Assistant, Assistants } from '../../runs/admission/assistants.ts';
import type { AppContext } from '../api/context.ts';
import { selectFields, setPageHeaders } from '../api/list-page.ts';
import { pathParam } from '../api/route-access.ts';
import type { RouteFamily } from '../api/route-family.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import {
  AGENT_GRAPH,
  assistantBodySchema,
  assistantGraphSchema,
  assistantSchemas,
  assistantSchemasSchema,
  assistantVersionSchema,
  foundAssistantSchema,
  presentAssistant,
  presentAssistantVersion,
} from '../presenters/assistant.ts';

const assistantResponse = { 200: { description: 'The assistant', schema: assistantBodySchema } };

export function assistantRoutes(
  routes: RouteTable,
  family: RouteFamily,
  { assistants }: { readonly assistants: Assistants },
): void {
  mountSearch(routes, family, assistants);
  mountDescription(routes, family, assistants);
  mountVersions(routes, family, assistants);
  mountChanges(routes, family, assistants);
}

function mountSearch(routes: RouteTable, { prefix }: RouteFamily, assistants: Assistants): void {
  routes.post(`${prefix}/assistants/search`, {
    access: 'read',
    operationId: 'searchAssistants',
    summary: 'Search the agents',
    body: { kind: 'json', schema: assistantSearchSchema },
    responses: ok('One page of agents', z.array(foundAssistantSchema)),
    handle: async (c, { body }) => {
      const all = await assistants.list(c.var.repositories);
      const found = sorted(all.filter(matching(body)).map(presentAssistant), body);
      const shown = found.slice(body.offset, body.offset + body.limit);
      setPageHeaders(c, { offset: body.offset, length: shown.length, total: found.length });
      return c.json(shown.map((assistant) => selectFields(assistant, body.select)));
    },
  });
  routes.post(`${prefix}/assistants/count`, {
    access: 'read',
    operationId: 'countAssistants',
    summary: 'Count the agents',
    body: { kind: 'json', schema: assistantFilterSchema },
    responses: ok('How many agents match', z.number()),
    handle: async (c, { body }) =>
      c.json((await assistants.list(c.var.repositories)).filter(matching(body)).length),
  });
}

function mountDescription(routes: RouteTable, { prefix }: RouteFamily, assistants: Assistants): void {
  const member = `${prefix}/assistants/{assistant_id}`;
  routes.get(member, {
    operationId: 'getAssistant',
    errors: ['not_found'],
    summary: 'One agent, by its name or the id derived from it',
    responses: assistantResponse,
    handle: async (c) => c.json(presentAssistant(await named(c, assistants))),
  });
  routes.get(`${member}/graph`, {
    operationId: 'getAssistantGraph',
    errors: ['not_found'],
    summary: 'The agent loop as a graph',
    responses: ok('Nodes and edges', assistantGraphSchema),
    handle: async (c) => {
      await named(c, assistants);
      return c.json(AGENT_GRAPH);
    },
  });
  routes.get(`${member}/schemas`, {
    operationId: 'getAssistantSchemas',
    errors: ['not_found'],
    summary: 'Input, output and state of the agent as JSON Schema',
    responses: ok('The schemas', assistantSchemasSchema),
    handle: async (c) => c.json(assistantSchemas((await named(c, assistants)).name)),
  });
  for (const [operationId, path] of [
    ['listSubgraphs', `${member}/subgraphs`],
    ['getSubgraph', `${member}/subgraphs/{namespace}`],
  ] as const) {
    routes.get(path, {
      operationId,
      errors: ['not_found'],
      summary: 'Graphs inside the graph of the agent: there are none',
      responses: ok('An empty object', z.object({})),
      handle: async (c) => {
        await named(c, assistants);
        return c.json({});
      },
    });
  }
}

function mountVersions(routes: RouteTable, { prefix }: RouteFamily, assistants: Assistants): void {
  const member = `${prefix}/assistants/{assistant_id}`;
  routes.post(`${member}/versions`, {
    access: 'read',
    operationId: 'listAssistantVersions',
    errors: ['not_found'],
    summary: 'The versions of the agent, newest first',
    body: { kind: 'json', schema: assistantVersionsSchema },
    responses: ok('The versions', z.array(assistantVersionSchema)),
    handle: async (c, { body: { limit, offset, metadata } }) => {
      const all = await assistants.versions(c.var.repositories, await named(c, assistants));
      const versions = all.filter(matching({ metadata })).map(presentAssistantVersion);
      return c.json(versions.slice(offset, offset + limit));
    },
  });
  routes.post(`${member}/latest`, {
    operationId: 'setLatestAssistantVersion',
    errors: ['not_found'],
    summary: 'Choose the version of the agent: it is always the newest',
    body: { kind: 'json', schema: latestVersionSchema },
    responses: assistantResponse,
    handle: async (c, { body: { version } }) => {
      const assistant = await named(c, assistants);
      if (version === assistant.version) return c.json(presentAssistant(assistant));
      const all = await assistants.versions(c.var.repositories, assistant);
      if (!all.some((one) => one.version === version)) throw notFound('Version');
      throw readOnly();
    },
  });
}

function mountChanges(routes: RouteTable, { prefix }: RouteFamily, assistants: Assistants): void {
  const collection = `${prefix}/assistants`;
  const member = `${collection}/{assistant_id}`;
  const refuse = async (c: AppContext): Promise<never> => {
    await named(c, assistants);
    throw readOnly();
  };
  const refused = { summary: 'Refused: agents are defined at /api/agents', responses: {} };
  const body = { kind: 'json', schema: assistantChangeSchema } as const;
  routes.post(collection, {
    ...refused,
    operationId: 'createAssistant',
    body,
    handle: () => {
      throw readOnly();
    },
  });
  routes.patch(member, {
    ...refused,
    operationId: 'updateAssistant',
    errors: ['not_found'],
    body,
    handle: refuse,
  });
  routes.delete(member, {
    ...refused,
    operationId: 'deleteAssistant',
    errors: ['not_found'],
    handle: refuse,
  });
}

function readOnly(): ServiceError {
  return new ServiceError(
    'forbidden',
    'Assistants cannot be created, changed or deleted here. Define your own agents at /api/agents.',
  );
}

async function named(c: AppContext, assistants: Assistants): Promise<Assistant> {
  const assistant = await assistants.find(c.var.repositories, pathParam(c, 'assistant_id'));
  if (assistant === undefined) throw notFound('Assistant');
  return assistant;
}

function matching({ graph_id, name, metadata = {} }: AssistantFilter): (assistant: Assistant) => boolean {
  return (assistant) => {
    const shown = presentAssistant(assistant);
    if (graph_id !== undefined && graph_id !== shown.graph_id) return false;
    if (name !== undefined && !shown.name.toLowerCase().includes(name.toLowerCase())) return false;
    return Object.entries(metadata).every(([key, value]) => isDeepStrictEqual(shown.metadata[key], value));
  };
}

function sorted<Body extends Readonly<Record<AssistantSearch['sort_by'], string>>>(
  found: readonly Body[],
  { sort_by, sort_order }: AssistantSearch,
): readonly Body[] {
  const rising = found.toSorted((a, b) => a[sort_by].localeCompare(b[sort_by]));
  return sort_order === 'asc' ? rising : rising.toReversed();
}

const MAX_LISTED = 1_000;

const page = {
  limit: z.int().min(1).max(MAX_LISTED).default(10),
  offset: z.int().min(0).default(0),
  metadata: metadataObject.optional(),
};

const assistantFilterSchema = z
  .object({
    graph_id: z.string().max(128).optional(),
    /** A part of the name, case-insensitive. */
    name: z.string().max(128).optional(),
    metadata: metadataObject.optional(),
  })
  .meta({ id: 'AssistantFilter', examples: [{ graph_id: 'lead_agent' }] });

const assistantSearchSchema = assistantFilterSchema
  .extend({
    ...page,
    sort_by: z.enum(['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at']).default('created_at'),
    sort_order: z.enum(['asc', 'desc']).default('desc'),
    /** Names of fields to return; unknown ones are ignored. */
    select: z.array(z.string().max(128)).max(100).optional(),
  })
  .meta({ id: 'AssistantSearch', examples: [{ graph_id: 'lead_agent', limit: 10 }] });

const assistantVersionsSchema = z.object(page).meta({ examples: [{ limit: 10 }] });
const latestVersionSchema = z.object({ version: z.int() }).meta({ examples: [{ version: 1 }] });
/** The assistant that a client wants to create or change. Its content is ignored. */
const assistantChangeSchema = boundedObject({ keys: 64, bytes: 65_536 });

type AssistantFilter = z.output<typeof assistantFilterSchema>;
type AssistantSearch = z.output<typeof assistantSearchSchema>;
