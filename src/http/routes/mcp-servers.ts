// Tool servers (MCP) as users see them: their status, and the tests and approvals of administrators.
import { z } from 'zod';
import type { ToolServers } from '../../mcp/create-tool-servers.ts';
import type { ServerStatus } from '../../mcp/server-desk.ts';
import type { JsonObject } from '../../messages/message.ts';
import type { AuditLog } from '../../storage/audit-log.ts';
import type { AppContext } from '../api/context.ts';
import { pathParam, requireAdministrator } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presentToolServer, serverTrialBodySchema, toolServerBodySchema } from '../presenters/tool-server.ts';

export interface McpRouteParts extends Pick<ToolServers, 'configs' | 'desk' | 'oauth'> {
  /** The origin under which browsers reach the service. If absent, the origin of the request. */
  readonly publicUrl: string | undefined;
  readonly audit: Pick<AuditLog, 'append'>;
}

const MAX_TOOLS = 1_000;
const toolName = z.string().min(1).max(1_024);

const approvalBody = z
  .object({
    tools: z
      .array(toolName)
      .max(MAX_TOOLS)
      .optional()
      .describe('By the names that the server gives them; absent: all'),
    digests: z
      .record(toolName, z.string().max(128))
      .refine((digests) => Object.keys(digests).length <= MAX_TOOLS, 'has too many tools')
      .meta({ maxProperties: MAX_TOOLS })
      .optional()
      .describe(
        'By the same names: `digest` of the changes that you looked at. Another one now is a conflict',
      ),
  })
  .meta({ id: 'ToolApproval', examples: [{ tools: ['search'] }] });

const SERVER = '/api/mcp/servers/{server}';

export function mcpServerRoutes(routes: RouteTable, { desk, oauth, audit }: McpRouteParts): void {
  const presented = async (c: AppContext, status: ServerStatus) =>
    presentToolServer(status, await oauth.signInOf(c.var.user.id, status.server));

  routes.get('/api/mcp/servers', {
    operationId: 'listToolServers',
    summary: 'All tool servers as you can use them, with their tools',
    responses: ok('In the order of the configuration', z.object({ servers: z.array(toolServerBodySchema) })),
    handle: async (c) => {
      const statuses = await desk.statuses(c.var.user.id);
      return c.json({ servers: await Promise.all(statuses.map((status) => presented(c, status))) });
    },
  });

  routes.post(`${SERVER}/test`, {
    operationId: 'testToolServer',
    errors: ['forbidden', 'not_found'],
    summary: 'Connect to a tool server anew and list its tools; administrators only',
    responses: ok('Whether it works', serverTrialBodySchema),
    handle: async (c) => {
      requireAdministrator(c);
      const { success, message, latencyMs, tools } = await desk.test(
        pathParam(c, 'server'),
        c.var.user.id,
        c.req.raw.signal,
      );
      const shown = tools.map(({ name, description }) => ({ name, description }));
      return c.json({ success, message, latency_ms: latencyMs, tools: shown });
    },
  });

  routes.post(`${SERVER}/tools/approve`, {
    operationId: 'approveToolsOfServer',
    errors: ['forbidden', 'not_found', 'invalid', 'conflict'],
    summary: 'Approve tools with their current descriptions; administrators only',
    body: { kind: 'json', schema: approvalBody, optional: true },
    responses: ok('The server after the change', toolServerBodySchema),
    handle: async (c, { body: { tools, digests } }) => {
      requireAdministrator(c);
      const status = await desk.approve(pathParam(c, 'server'), { tools, digests }, c.var.user.id);
      const named = tools === undefined ? null : [...tools];
      await recordChange(c, audit, { approved: pathParam(c, 'server'), tools: named });
      return c.json(await presented(c, status));
    },
  });
}

/** Records a change of an administrator. The details contain only names, because values may be secret. */
export function recordChange(c: AppContext, audit: McpRouteParts['audit'], details: JsonObject) {
  const { user, client } = c.var;
  return audit.append({ act: 'mcp_change', actor: user.id, clientIp: client.ip, subject: null, details });
}
