// Routes about tool servers.
import type { Cases } from './attacks.ts';

/** Servers are named, and everybody's; what a person has at one is found by the person who asks. */
export const TOOL_SERVERS: Cases = {
  'GET /api/mcp/config': {},
  'PUT /api/mcp/config': { body: { mcpServers: {} } },
  'GET /api/mcp/servers': {},
  'POST /api/mcp/servers/{server}/test': {},
  'POST /api/mcp/servers/{server}/tools/approve': { body: {} },
  'POST /api/mcp/servers/{server}/sign-in': {},
  'DELETE /api/mcp/servers/{server}/sign-in': {},
  'GET /api/mcp/oauth/callback': { query: 'state=remote.x&code=y' },
};
