// The configuration of tool servers (MCP), and all routes about them.
import { z } from 'zod';
import type { DocumentChange } from '../../mcp/config/server-configs.ts';
import { boundedObject } from '../../messages/bounded-json.ts';
import { requireAdministrator } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { serverEntryBodySchema } from '../presenters/tool-server.ts';
import { type McpRouteParts, mcpServerRoutes, recordChange } from './mcp-servers.ts';
import { mcpSignInRoutes } from './mcp-sign-in.ts';

const documentBody = z.object({ mcpServers: boundedObject({ keys: 1_000, bytes: 524_288 }) }).meta({
  id: 'NewToolServers',
  examples: [
    { mcpServers: { memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } } },
  ],
});
const shownDocument = z
  .object({ mcpServers: z.record(z.string(), serverEntryBodySchema) })
  .meta({ id: 'ToolServers' });
const savedBody = z.object({ success: z.boolean(), message: z.string() });

export function mcpRoutes(routes: RouteTable, parts: McpRouteParts): void {
  configurationRoutes(routes, parts);
  mcpServerRoutes(routes, parts);
  mcpSignInRoutes(routes, parts);
}

function configurationRoutes(routes: RouteTable, { configs, audit }: McpRouteParts): void {
  routes.get('/api/mcp/config', {
    operationId: 'getToolServerConfiguration',
    errors: ['forbidden', 'conflict'],
    summary: 'The configuration of all tool servers, without secrets; administrators only',
    responses: ok('Servers by their names', shownDocument),
    handle: async (c) => {
      requireAdministrator(c);
      return c.json({ mcpServers: Object.fromEntries(await configs.read()) });
    },
  });

  routes.put('/api/mcp/config', {
    operationId: 'putToolServerConfiguration',
    errors: ['forbidden', 'conflict'],
    summary: 'Replace the configuration of all tool servers; administrators only',
    body: { kind: 'json', schema: documentBody },
    responses: ok('Saved; the next run uses it', savedBody),
    handle: async (c, { body }) => {
      requireAdministrator(c);
      await configs.write(
        new Map(Object.entries(body.mcpServers)),
        async ({ added, removed, changed }: DocumentChange) => {
          await recordChange(c, audit, { added: [...added], removed: [...removed], changed: [...changed] });
        },
      );
      return c.json({ success: true, message: 'The tool servers are saved. The next run uses them.' });
    },
  });
}
