// Custom agents in their wire format.
import { z } from 'zod';
import type { AgentRecord } from '../../storage/agents.ts';
import { presenterOf } from './presenter-of.ts';
import { timeField } from './wire-fields.ts';

const definitionFields = {
  description: z.string(),
  model: z
    .string()
    .nullable()
    .meta({ examples: ['demo'] }),
  tool_groups: z
    .array(z.string())
    .nullable()
    .meta({ examples: [['files', 'web']] }),
  skills: z
    .array(z.string())
    .nullable()
    .meta({ examples: [['tea-list']] }),
  soul: z.string().meta({ examples: ['You speak calmly.'] }),
  version: z.int().meta({ description: 'From 1 on; each change is one' }),
  created_at: timeField,
};

export const agentSchema = z
  .object({
    name: z.string().meta({ examples: ['tea-master'] }),
    ...definitionFields,
    shared: z.boolean().meta({ description: 'Everyone can use it' }),
    own: z.boolean().meta({ description: 'You can change it; other agents are shared by an administrator' }),
    updated_at: timeField,
  })
  .meta({ id: 'Agent' });

export const agentVersionSchema = z.object(definitionFields).meta({ id: 'AgentVersion' });

export const presentAgentVersion = presenterOf(agentVersionSchema);

const present = presenterOf(agentSchema);

export function presentAgent(agent: AgentRecord): z.output<typeof agentSchema> {
  return present({ ...agent, shared: agent.isShared, own: agent.isOwn });
}
