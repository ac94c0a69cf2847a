// The names of all tools that the service can have, in any configuration. No server's tool takes one.

export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  'bash',
  'ls',
  'read_file',
  'write_file',
  'str_replace',
  'glob',
  'grep',
  'web_fetch',
  'web_search',
  'view_image',
  'present_files',
  'ask_clarification',
  'task',
  'write_todos',
  'skill_manage',
  'tool_search',
  'list_mcp_resources',
  'read_mcp_resource',
  'list_mcp_prompts',
  'get_mcp_prompt',
]);
