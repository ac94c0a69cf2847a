// The tools that active skills leave to the agent: `allowed-tools` of their SKILL.md. Pure.
import type { ToolCall } from '../../messages/message.ts';
import type { EnabledSkill } from '../../skills/enabled-skill.ts';
import { skillPathOf } from './active-skills.ts';

export interface ToolLimits {
  readonly skills: readonly string[];
  readonly tools: ReadonlySet<string>;
}

/** Tools to talk with the person, plan, hand over results and find tools need no permission. */
export const ALWAYS_ALLOWED: ReadonlySet<string> = new Set([
  'ask_clarification',
  'present_files',
  'tool_search',
  'write_todos',
]);
/** These always work below the folders of skills. */
const READING: ReadonlySet<string> = new Set(['read_file', 'ls', 'glob', 'grep']);

/** Names that skills from elsewhere use for tools of this service. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['Bash', 'bash'],
  ['Edit', 'str_replace'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['LS', 'ls'],
  ['Read', 'read_file'],
  ['Task', 'task'],
  ['WebFetch', 'web_fetch'],
  ['WebSearch', 'web_search'],
  ['Write', 'write_file'],
]);

/** Returns the tools that the skills with limits allow together; `undefined` when no skill has limits. */
export function toolLimits(active: readonly EnabledSkill[]): ToolLimits | undefined {
  const saying = active.flatMap(({ name, allowedTools }) =>
    allowedTools === undefined ? [] : [{ name, allowedTools }],
  );
  if (saying.length === 0) return undefined;
  return {
    skills: saying.map(({ name }) => name),
    tools: new Set(saying.flatMap(({ allowedTools }) => allowedTools.map(toolName))),
  };
}

/** Drops the part in brackets. It restricts a tool in a way that cannot be enforced here. */
function toolName(entry: string): string {
  const [name = ''] = entry.split('(', 1);
  return OTHER_NAMES.get(name) ?? name;
}

/** Returns the sentence for the model with which a call is refused; `undefined` for an allowed call. */
export function refusalOf(call: ToolCall, { skills, tools }: ToolLimits): string | undefined {
  if (tools.has(call.name) || ALWAYS_ALLOWED.has(call.name)) return undefined;
  if (READING.has(call.name) && skillPathOf(call) !== undefined) return undefined;
  const those = tools.size === 0 ? 'no tools but those that read skills' : `only ${[...tools].join(', ')}`;
  const [who, allow] = skills.length === 1 ? ['the skill', 'allows'] : ['the skills', 'allow'];
  return (
    `Error: ${call.name} was not run: ${who} ${skills.join(', ')}, which you work with, ${allow} ${those}. ` +
    'Go on with what is allowed, and tell the person what you could not do.'
  );
}
