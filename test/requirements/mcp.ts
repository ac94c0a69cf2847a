// Tool servers, by the ids that tests cite.
export const mcpRequirements = {
  'mcp.config.get': 'GET /api/mcp/config answers every server with its fields, secret values as `***`.',
  'mcp.config.put':
    'PUT /api/mcp/config replaces the document and answers {success, message}; the mask keeps what is stored.',
  'mcp.config.admin': 'The configuration of tool servers is for administrators; others get 403.',
  'mcp.config.reference':
    '`$NAME` in a value stands for a variable of the environment and is shown as it is.',
  'mcp.config.allowlist':
    'A stdio command is on the allowlist, without flags and variables that make it run other code.',
  'mcp.config.whole': 'A document with anything wrong in it is refused as a whole, and nothing is written.',
  'mcp.config.reload': 'A changed document is seen without a restart; a broken file changes nothing.',
  'mcp.config.audit': 'Every change of the configuration is in the audit log, without values.',
  'mcp.tools.stdio': 'Tools of a program that speaks over its standard input and output can be called.',
  'mcp.tools.names':
    'Tools of servers have names that providers take; none has the name of a tool of the service.',
  'mcp.tools.http': 'Tools of a remote server (streamable HTTP, SSE) can be called.',
};
