// What a person says of an agent, checked: names, limits, the fields on the wire, and the file in which an agent comes to
// another account or another service.
import { z } from 'zod';
import type { AgentDefinition, AgentRecord } from '../storage/agents.ts';
import { isToolGroup, TOOL_GROUPS } from './tool-groups.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_SOUL = 10_000;
const MAX_LIST = 100;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** The agent that everybody has, and what one would take for it. */
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
const ILL_FORMED = 'The text has half a character in it';

/** Each list with every name once. */
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

/** Absent and `null` stand for the same: nothing is chosen. */
export const agentFieldsSchema = z.object({
  description: z
    .string()
    .max(MAX_DESCRIPTION)
    .refine(wellFormed, ILL_FORMED)
    .nullish()
    .describe('What the agent is for, as people and programs see it'),
  model: z
    .string()
    .min(1)
    .max(128)
    .nullish()
    .describe('A name of `/api/models` that all its runs use; null: whatever a run asks for'),
  tool_groups: names(toolGroup)
    .nullish()
    .describe('Groups of tools that it has; null: all. `GET /api/agents` names the groups.'),
  skills: names(z.string().max(MAX_NAME).regex(NAME))
    .nullish()
    .describe('Skills that it is told of; null: all that are on'),
  soul: z
    .string()
    .max(MAX_SOUL)
    .refine(wellFormed, ILL_FORMED)
    .nullish()
    .describe('Its character: a part of its system prompt'),
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

/** As JSON shows it; `toDefinition` reads it back. */
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
    format: z.literal(FILE_FORMAT, `The file is not that of an agent: format is not ${FILE_FORMAT}`),
    format_version: z.literal(FILE_VERSION, 'A later release wrote the file; this one cannot read it'),
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

/** Its newest version, without a word about whose it is. */
export function agentFile(agent: AgentRecord): AgentFile {
  return {
    format: FILE_FORMAT,
    format_version: FILE_VERSION,
    agent: { name: agent.name, ...shownDefinition(agent) },
  };
}
