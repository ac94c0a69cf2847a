// Custom agents: create, read, change, share, and export or import as a file.
import { z } from 'zod';
import {
  type AgentFile,
  agentFieldsSchema,
  agentFileSchema,
  agentNameSchema,
  toDefinition,
} from '../../agents/agent-definition.ts';
import type { Agents } from '../../agents/agents.ts';
import { TOOL_GROUPS } from '../../agents/tool-groups.ts';
import { notFound, validationFailed } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import { actorOf, pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { contentDisposition } from '../files/file-response.ts';
import { agentSchema, agentVersionSchema, presentAgent, presentAgentVersion } from '../presenters/agent.ts';

const COLLECTION = '/api/agents';
const MEMBER = `${COLLECTION}/{agent_name}`;

const EXAMPLE = {
  description: 'Knows teas and what goes with them',
  model: null,
  tool_groups: ['files', 'web'],
  skills: [],
  soul: 'You are a calm tea master.',
};
const newAgent = agentFieldsSchema
  .extend({ name: agentNameSchema })
  .meta({ id: 'NewAgent', examples: [{ name: 'tea-master', ...EXAMPLE }] });
const changedAgent = agentFieldsSchema
  .extend({ name: z.string().max(64).nullish().describe('If present, the same name as in the path') })
  .meta({ id: 'ChangedAgent', examples: [EXAMPLE] });
const sharing = z.object({ shared: z.boolean() }).meta({ id: 'AgentSharing', examples: [{ shared: true }] });
const importQuery = z.object({
  name: agentNameSchema.optional().describe('The name to use here instead of the one in the file'),
});

const listSchema = z
  .object({
    agents: z.array(agentSchema),
    tool_groups: z
      .array(z.object({ name: z.string(), description: z.string() }))
      .meta({ description: 'The values allowed in `tool_groups` of an agent' }),
  })
  .meta({ id: 'Agents' });

const importedSchema = z
  .object({
    agent: agentSchema,
    left_out: z.array(z.literal('model')).meta({ description: 'What this service does not have' }),
  })
  .meta({ id: 'ImportedAgent' });

const agentResponse = { description: 'The agent', schema: agentSchema };

export function agentRoutes(routes: RouteTable, { customAgents }: { readonly customAgents: Agents }): void {
  mountCollection(routes, customAgents);
  mountMember(routes, customAgents);
  mountVersions(routes, customAgents);
  mountFiles(routes, customAgents);
}

function mountCollection(routes: RouteTable, customAgents: Agents): void {
  routes.get(COLLECTION, {
    operationId: 'listAgents',
    summary: 'Your agents and the agents that administrators share',
    responses: ok('All of them, by name', listSchema),
    handle: async (c) => {
      const agents = await customAgents.list(c.var.user.id);
      return c.json({ agents: agents.map(presentAgent), tool_groups: [...TOOL_GROUPS] });
    },
  });

  routes.post(COLLECTION, {
    operationId: 'createAgent',
    errors: ['conflict'],
    summary: 'Define an agent; runs name it as their assistant_id',
    body: { kind: 'json', schema: newAgent },
    responses: { 201: agentResponse },
    handle: async (c, { body }) => {
      const agent = await customAgents.create(actorOf(c), body.name, toDefinition(body));
      return c.json(presentAgent(agent), 201);
    },
  });
}

function mountMember(routes: RouteTable, customAgents: Agents): void {
  routes.get(MEMBER, {
    operationId: 'getAgent',
    errors: ['not_found'],
    summary: 'One agent',
    responses: { 200: agentResponse },
    handle: async (c) => c.json(presentAgent(await customAgents.get(c.var.user.id, nameOf(c)))),
  });

  routes.put(MEMBER, {
    operationId: 'updateAgent',
    errors: ['not_found', 'forbidden'],
    summary:
      'Replace an agent: omitted fields get the defaults of a new one. Active runs keep the version they started with',
    body: { kind: 'json', schema: changedAgent },
    responses: { 200: agentResponse },
    handle: async (c, { body }) => {
      const name = nameOf(c);
      if (body.name != null && body.name !== name)
        throw validationFailed(
          ['body', 'name'],
          'An agent keeps its name. Export it, and import it under the other one.',
        );
      return c.json(presentAgent(await customAgents.update(actorOf(c), name, toDefinition(body))));
    },
  });

  routes.delete(MEMBER, {
    operationId: 'deleteAgent',
    errors: ['not_found', 'forbidden'],
    summary: 'Delete an agent. Its threads stay; active runs finish, and no new ones can start',
    responses: { 204: { description: 'It is gone' } },
    handle: (c) => customAgents.delete(actorOf(c), nameOf(c)),
  });

  routes.put(`${MEMBER}/sharing`, {
    operationId: 'shareAgent',
    errors: ['not_found', 'forbidden', 'conflict'],
    summary: 'Share an agent with everybody, for administrators; or stop sharing it',
    body: { kind: 'json', schema: sharing },
    responses: { 200: agentResponse },
    handle: async (c, { body }) => {
      const agent = await customAgents.share(actorOf(c), nameOf(c), body.shared);
      return c.json(presentAgent(agent));
    },
  });
}

function mountVersions(routes: RouteTable, customAgents: Agents): void {
  routes.get(`${MEMBER}/versions`, {
    operationId: 'listAgentVersions',
    errors: ['not_found'],
    summary: 'Versions of an agent, the newest first; the last fifty are kept',
    responses: ok('All of them', z.object({ versions: z.array(agentVersionSchema) })),
    handle: async (c) => {
      const versions = await customAgents.versions(c.var.user.id, nameOf(c));
      return c.json({ versions: versions.map(presentAgentVersion) });
    },
  });

  routes.get(`${MEMBER}/versions/{version}`, {
    operationId: 'getAgentVersion',
    errors: ['not_found'],
    summary: 'One version of an agent',
    responses: ok('The version', agentVersionSchema),
    handle: async (c) => {
      const number = Number(c.req.param('version'));
      const version = await customAgents.version(c.var.user.id, nameOf(c), number);
      return c.json(presentAgentVersion(version));
    },
  });
}

function mountFiles(routes: RouteTable, customAgents: Agents): void {
  routes.get(`${MEMBER}/export`, {
    operationId: 'exportAgent',
    errors: ['not_found'],
    summary: 'An agent as a file',
    responses: ok('The file', agentFileSchema),
    handle: async (c) => {
      const file: AgentFile = await customAgents.fileOf(c.var.user.id, nameOf(c));
      c.header('Content-Disposition', contentDisposition('attachment', `${file.agent.name}.agent.json`));
      return c.json(file);
    },
  });

  routes.post(`${COLLECTION}/import`, {
    operationId: 'importAgent',
    errors: ['conflict'],
    summary: 'Define an agent from a file',
    query: importQuery,
    body: { kind: 'json', schema: agentFileSchema },
    responses: { 201: { description: 'The agent', schema: importedSchema } },
    handle: async (c, { body, query }) => {
      const named = { ...body, agent: { ...body.agent, name: query.name ?? body.agent.name } };
      const { agent, leftOut } = await customAgents.bringIn(actorOf(c), named);
      return c.json({ agent: presentAgent(agent), left_out: [...leftOut] }, 201);
    },
  });
}

/** Returns the agent's name from the path. Throws `not_found` for a malformed one without a query. */
function nameOf(c: AppContext): string {
  const name = pathParam(c, 'agent_name');
  if (!agentNameSchema.safeParse(name).success) throw notFound('Agent');
  return name;
}
