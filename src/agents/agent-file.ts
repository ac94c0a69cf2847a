// An agent as one JSON file, for another account or another service.
import { z } from 'zod';
import type { AgentRecord } from '../storage/agents.ts';
import { agentFieldsSchema, agentNameSchema, shownDefinition } from './agent-definition.ts';

const FORMAT = 'agent-service-agent';
const FORMAT_VERSION = 1;

export const agentFileSchema = z
  .object({
    format: z.literal(FORMAT, `The file is not that of an agent: format is not ${FORMAT}`),
    format_version: z.literal(FORMAT_VERSION, 'A later release wrote the file; this one cannot read it'),
    agent: agentFieldsSchema.extend({ name: agentNameSchema }),
  })
  .meta({
    id: 'AgentFile',
    examples: [
      {
        format: FORMAT,
        format_version: FORMAT_VERSION,
        agent: { name: 'tea-master', description: 'Knows teas', soul: 'You speak calmly.' },
      },
    ],
  });

export type AgentFile = z.output<typeof agentFileSchema>;

/** Its newest version, without a word about whose it is. */
export function agentFile(agent: AgentRecord): AgentFile {
  return {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    agent: { name: agent.name, ...shownDefinition(agent) },
  };
}
