// Tool calls in a few words.
import type { ToolCallView } from './message-view.ts';

const WORDS = new Map([
  ['ask_clarification', 'Ask a question'],
  ['bash', 'Run command'],
  ['get_mcp_prompt', 'Get prompt'],
  ['glob', 'Find files'],
  ['grep', 'Search in files'],
  ['list_mcp_prompts', 'List prompts'],
  ['list_mcp_resources', 'List resources'],
  ['ls', 'List folder'],
  ['present_files', 'Present files'],
  ['read_file', 'Read file'],
  ['read_mcp_resource', 'Read resource'],
  ['skill_manage', 'Manage skill'],
  ['str_replace', 'Edit file'],
  ['task', 'Start sub-agent'],
  ['tool_search', 'Find tools'],
  ['view_image', 'View image'],
  ['web_fetch', 'Read web page'],
  ['web_search', 'Search the web'],
  ['write_file', 'Write file'],
  ['write_todos', 'Update plan'],
]);

export function isKnownTool(name: string): boolean {
  return WORDS.has(name);
}

/** Describes a tool in a few words. Returns the name itself for unknown tools. */
export function toolWords(name: string): string {
  return WORDS.get(name) ?? name;
}

const ARGUMENTS = new Map([
  ['append', 'Append'],
  ['command', 'Command'],
  ['content', 'Content'],
  ['description', 'Description'],
  ['new_str', 'New text'],
  ['old_str', 'Old text'],
  ['path', 'Path'],
  ['pattern', 'Pattern'],
  ['prompt', 'Prompt'],
  ['query', 'Query'],
  ['replace_all', 'Replace all'],
  ['url', 'Address'],
]);

/** Describes an argument in a few words. Returns the name itself for unknown arguments. */
export function argumentWords(name: string): string {
  return ARGUMENTS.get(name) ?? name;
}

const SUMMARY_ARGUMENTS = ['path', 'file_path', 'description', 'query', 'command', 'url', 'question'];

/** Returns the one argument that describes the call best. Empty when no argument is a text. */
export function callSummary({ args }: ToolCallView): string {
  const path = args.path ?? args.file_path;
  if (typeof path === 'string') return path;
  const named = SUMMARY_ARGUMENTS.map((name) => args[name]).find((value) => typeof value === 'string');
  const any = named ?? Object.values(args).find((value) => typeof value === 'string');
  return typeof any === 'string' ? any : '';
}
