// The calls about agents that people define.
import * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';

/** The agent that comes with the service. */
export const ASSISTANT_ID = 'lead_agent';

const DEFINITION = {
  description: z.string(),
  model: z.nullable(z.string()),
  tool_groups: z.nullable(z.array(z.string())),
  skills: z.nullable(z.array(z.string())),
  soul: z.string(),
};
const agentSchema = z.object({
  name: z.string(),
  ...DEFINITION,
  version: z.number(),
  shared: z.boolean(),
  own: z.boolean(),
});
export type CustomAgent = z.infer<typeof agentSchema>;
const agentsSchema = z.object({
  agents: z.array(agentSchema),
  tool_groups: z.array(z.object({ name: z.string(), description: z.string() })),
});
export type CustomAgents = z.infer<typeof agentsSchema>;
const versionSchema = z.object({ ...DEFINITION, version: z.number(), created_at: z.string() });
export type AgentVersion = z.infer<typeof versionSchema>;
export type AgentDefinition = Pick<CustomAgent, 'description' | 'model' | 'tool_groups' | 'skills' | 'soul'>;
const importedSchema = z.object({ agent: agentSchema, left_out: z.array(z.string()) });
type ImportedAgent = z.infer<typeof importedSchema>;
const chatSchema = z.object({
  metadata: z.object({
    assistant_id: z.catch(z.optional(z.string()), undefined),
    model_name: z.catch(z.optional(z.string()), undefined),
  }),
});
/** The agent and the model of a chat. */
export type ChatChoice = z.infer<typeof chatSchema>['metadata'];

const COLLECTION = '/api/agents';
const memberPath = (name: string) => `${COLLECTION}/${encodeURIComponent(name)}`;

export function createAgentCalls(call: Call) {
  return {
    /** Returns the person's own agents and the shared ones, sorted by name. */
    agents: async (): Promise<CustomAgents> => read(await call('GET', COLLECTION), agentsSchema),
    createAgent: async (name: string, definition: AgentDefinition) =>
      read(await call('POST', COLLECTION, { name, ...definition }), agentSchema),
    changeAgent: async (name: string, definition: AgentDefinition) =>
      read(await call('PUT', memberPath(name), definition), agentSchema),
    deleteAgent: (name: string) => call('DELETE', memberPath(name)),
    shareAgent: (name: string, shared: boolean) => call('PUT', `${memberPath(name)}/sharing`, { shared }),
    agentVersions: async (name: string): Promise<readonly AgentVersion[]> =>
      (
        await read(
          await call('GET', `${memberPath(name)}/versions`),
          z.object({ versions: z.array(versionSchema) }),
        )
      ).versions,
    /** Imports an exported agent. Throws RequestError for any other file. */
    importAgent: async (file: unknown): Promise<ImportedAgent> =>
      read(await call('POST', `${COLLECTION}/import`, file), importedSchema),
    agentFile: (name: string) => `${memberPath(name)}/export`,
    chatChoice: async (threadId: string): Promise<ChatChoice> =>
      (await read(await call('GET', threadPath(threadId)), chatSchema)).metadata,
    keepModel: (threadId: string, model: string) =>
      call('PATCH', threadPath(threadId), { metadata: { model_name: model } }),
  };
}
