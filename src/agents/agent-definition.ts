// How a person defines an agent: names, limits, the fields on the wire, and the file with which an agent
// moves to another account or service.
import { z } from 'zod';
import type { AgentDefinition, AgentRecord } from '../storage/agents.ts';
import { isToolGroup, TOOL_GROUPS } from './tool-groups.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_SOUL = 10_000;
const MAX_LIST = 100;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** The agent that everyone has, and a name that could be mistaken for it. */
const RESERVED = new Set(['lead_agent', 'lead-agent']);

export const agentNameSchema = z
  .string()
  .max(MAX_NAME)
  .refine(
    (name) => !RESERVED.has(name),
    'This name is reserved for the agent of the service. Choose another one.',
  )
  .refine(
    (name) => RESERVED.has(name) || NAME.test(name),
    'A name has lower-case letters and digits, with single hyphens between them: tea-master',
  )
  .meta({ maxLength: MAX_NAME, pattern: NAME.source, examples: ['tea-master'] });

const wellFormed = (text: string) => text.isWellFormed();
const ILL_FORMED = 'The text contains half of a surrogate pair';

/** A list that holds every name once. */
const names = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .max(MAX_LIST)
    .transform((list) => [...new Set(list)]);

const toolGroup = z
  .string()
  .max(MAX_NAME + 4)
  .refine(isToolGroup, {
    error: `Choose from ${TOOL_GROUPS.map(({ name }) => name).join(', ')}, and mcp:<server>`,
  });

/** Absent and `null` mean the same: nothing is chosen. */
export const agentFieldsSchema = z.object({
  description: z
    .string()
    .max(MAX_DESCRIPTION)
    .refine(wellFormed, ILL_FORMED)
    .nullish()
    .describe('What the agent is for, as shown to people and programs'),
  model: z
    .string()
    .min(1)
    .max(128)
    .nullish()
    .describe('A name from `/api/models` that all its runs use; null: the model that each run asks for'),
  tool_groups: names(toolGroup)
    .nullish()
    .describe('Groups of tools that it may use; null: all. `GET /api/agents` lists the groups.'),
  skills: names(z.string().max(MAX_NAME).regex(NAME))
    .nullish()
    .describe('Skills that it may use; null: all that are enabled'),
  soul: z
    .string()
    .max(MAX_SOUL)
    .refine(wellFormed, ILL_FORMED)
    .nullish()
    .describe('Its character: part of its system prompt'),
});

export function toDefinition(fields: z.output<typeof agentFieldsSchema>): AgentDefinition {
  return {
    description: fields.description?.trim() ?? '',
    model: fields.model ?? null,
    toolGroups: fields.tool_groups ?? null,
    skills: fields.skills ?? null,
    soul: fields.soul?.trim() ?? '',
  };
}

/** Returns the definition as JSON shows it; `toDefinition` reads it back. */
export function shownDefinition({ description, model, toolGroups, skills, soul }: AgentDefinition) {
  return {
    description,
    model,
    tool_groups: toolGroups === null ? null : [...toolGroups],
    skills: skills === null ? null : [...skills],
    soul,
  };
}

const FILE_FORMAT = 'agent-service-agent';
const FILE_VERSION = 1;

export const agentFileSchema = z
  .object({
    format: z.literal(FILE_FORMAT, `This is not an agent file: its format is not ${FILE_FORMAT}`),
    format_version: z.literal(FILE_VERSION, 'A later release wrote this file; this release cannot read it'),
    agent: agentFieldsSchema.extend({ name: agentNameSchema }),
  })
  .meta({
    id: 'AgentFile',
    examples: [
      {
        format: FILE_FORMAT,
        format_version: FILE_VERSION,
        agent: { name: 'tea-master', description: 'Knows teas', soul: 'You speak calmly.' },
      },
    ],
  });

export type AgentFile = z.output<typeof agentFileSchema>;

/** Returns the file of the agent's newest version, without its owner. */
export function agentFile(agent: AgentRecord): AgentFile {
  return {
    format: FILE_FORMAT,
    format_version: FILE_VERSION,
    agent: { name: agent.name, ...shownDefinition(agent) },
  };
}
