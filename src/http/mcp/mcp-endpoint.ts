// The MCP server of the service: `/mcp`, streamable HTTP without sessions
// (docs/decisions/0058-mcp-server.md).
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import type { RouteTable } from '../api/route-table.ts';
import { isOwnOrigin } from '../transport/request-target.ts';
import { createOpenCalls, type McpToolParts, mcpMessageSchema } from './mcp-caller.ts';

export interface McpEndpointParts extends Omit<McpToolParts, 'openCalls'> {
  /** Origins of pages that may call, besides those of the service itself. */
  readonly origins: readonly string[];
}

const PATH = '/mcp';

const rpcError = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).nullish(),
    error: z.object({ code: z.int(), message: z.string() }),
  })
  .meta({ id: 'McpError', description: 'An error of JSON-RPC 2.0.' });
const textError = z.object({ detail: z.string() });

export function mcpEndpoint(routes: RouteTable, parts: McpEndpointParts): void {
  const { runs, threads, artifacts, assistants, models, openStreams, log, newId, origins } = parts;
  const openCalls = createOpenCalls();
  const tools = { runs, threads, artifacts, assistants, models, openStreams, openCalls, log, newId };
  const allowed: ReadonlySet<string> = new Set(origins);
  routes.post(PATH, {
    access: 'api_key',
    operationId: 'sendMcpMessage',
    summary: 'A message of the Model Context Protocol (streamable HTTP), with an API key',
    errors: [],
    body: { kind: 'json', schema: mcpMessageSchema },
    responses: {
      200: {
        description: 'The answer: a JSON-RPC message, or a stream that ends with it',
        schema: z.looseObject({ jsonrpc: z.literal('2.0') }),
        orStream: z.string().meta({
          examples: ['event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n'],
        }),
      },
      202: { description: 'A notification was taken' },
      400: { description: 'The message is not valid here.', schema: z.union([rpcError, textError]) },
      404: { description: 'This revision of the protocol has no such method.', schema: rpcError },
      406: {
        description: 'The client does not accept `application/json` and `text/event-stream`.',
        schema: rpcError,
      },
    },
    async handle(c, { body }) {
      requireKnownOrigin(c, allowed);
      // Loaded with the first message, because the library accounts for a tenth of the startup time.
      const { respondToMcpMessage } = await import('./respond-to-mcp-message.ts');
      return respondToMcpMessage(tools, c, body);
    },
  });
  for (const method of ['get', 'delete'] as const) mountRefusal(routes, method);
}

/** Responds 405, as the protocol requires: there is no stream between calls and no session to end. */
function mountRefusal(routes: RouteTable, method: 'get' | 'delete'): void {
  routes[method](PATH, {
    access: 'api_key',
    operationId: method === 'get' ? 'openMcpStream' : 'endMcpSession',
    summary: 'Not used: messages are sent with POST, and there are no sessions',
    errors: [],
    responses: { 405: { description: 'Send messages with POST.', schema: textError } },
    handle: (c) => c.json({ detail: 'Send messages with POST.' }, 405, { Allow: 'POST' }),
  });
}

/** Throws `forbidden` for pages of unknown origins, whatever their credentials (DNS rebinding). */
function requireKnownOrigin(c: AppContext, allowed: ReadonlySet<string>): void {
  const origin = c.req.header('origin');
  if (origin === undefined || allowed.has(origin) || isOwnOrigin(c.var.target, origin)) return;
  throw new ServiceError(
    'forbidden',
    'This page may not use the MCP server. Add its origin to server.cors_origins.',
  );
}
