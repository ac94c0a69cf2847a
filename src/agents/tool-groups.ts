// Groups of tools that an agent may be limited to.

export interface ToolGroup {
  readonly name: string;
  readonly description: string;
}

interface OwnGroup extends ToolGroup {
  readonly tools: readonly string[];
}

const SERVERS = 'mcp';
const SERVER_PREFIX = `${SERVERS}:`;
const SERVER = /^mcp:[A-Za-z0-9_-]{1,64}$/;

const OWN_GROUPS: readonly OwnGroup[] = [
  {
    name: 'files',
    description: 'Reads, searches, writes and shows files of the thread, and reads the files of skills',
    tools: ['ls', 'read_file', 'write_file', 'str_replace', 'glob', 'grep', 'view_image', 'present_files'],
  },
  { name: 'commands', description: 'Runs commands in the sandbox', tools: ['bash'] },
  {
    name: 'web',
    description: 'Searches the web and reads its pages',
    tools: ['web_search', 'web_fetch'],
  },
  { name: 'skills', description: 'Writes and changes custom skills', tools: ['skill_manage'] },
  { name: 'subagents', description: 'Gives tasks to sub-agents', tools: ['task'] },
];

/** Without these, an agent could not ask, keep the plan that it was asked for, or find its own tools. */
const ALWAYS: ReadonlySet<string> = new Set(['ask_clarification', 'write_todos', 'tool_search']);

/** The groups to choose from, except single tool servers: `mcp:<server>`. */
export const TOOL_GROUPS: readonly ToolGroup[] = [
  ...OWN_GROUPS.map(({ name, description }) => ({ name, description })),
  { name: SERVERS, description: 'Tools of all tool servers; mcp:<server> stands for those of one' },
];

/** Whether the name is one of `TOOL_GROUPS`, or names a tool server. */
export function isToolGroup(name: string): boolean {
  return TOOL_GROUPS.some((group) => group.name === name) || SERVER.test(name);
}

/** Whether an agent with these groups has the service's own tool of this name; `null` means all groups. */
export function allowsTool(groups: readonly string[] | null, tool: string): boolean {
  if (groups === null || ALWAYS.has(tool)) return true;
  return OWN_GROUPS.some(({ name, tools }) => groups.includes(name) && tools.includes(tool));
}

/** Whether an agent with these groups has the tools of this tool server. */
export function allowsServer(groups: readonly string[] | null, server: string): boolean {
  return groups === null || groups.includes(SERVERS) || groups.includes(`${SERVER_PREFIX}${server}`);
}
