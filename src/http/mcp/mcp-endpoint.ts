// The service as an MCP server: `/mcp`, streamable HTTP without sessions (docs/decisions/0058).
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { AppContext } from '../context.ts';
import { isOwnOrigin } from '../own-origin.ts';
import { RELEASE } from '../release.ts';
import type { MountRoutes } from '../route-table.ts';
import { addArtifactTools } from './artifact-tools.ts';
import type { McpCaller, McpToolParts } from './mcp-caller.ts';
import { type McpMessage, mcpMessageSchema } from './mcp-message.ts';
import { createOpenCalls } from './open-calls.ts';
import { addRunTools } from './run-tools.ts';
import { addThreadTools } from './thread-tools.ts';

export interface McpEndpointParts extends Omit<McpToolParts, 'openCalls'> {
  /** Of pages that may ask, beside those of the service itself. */
  readonly allowedOrigins: readonly string[];
}

const PATH = '/mcp';
const TAG = 'MCP';
const SESSION = 'mcp-session-id';
const MAX_ARGUMENTS = 1_000;
const KEEP_ALIVE_MS = 5_000;

const INSTRUCTIONS =
  'An agent with tools, files and a memory of every thread. start_run gives it a task; get_run with wait_seconds waits ' +
  'for the end and answers what the agent said; list_artifacts and read_artifact get at the files that it made.';

const rpcError = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).nullish(),
    error: z.object({ code: z.int(), message: z.string() }),
  })
  .meta({ id: 'McpError', description: 'An error of JSON-RPC 2.0.' });
const textError = z.object({ detail: z.string() });

export function mcpEndpoint(parts: McpEndpointParts): MountRoutes {
  const tools = { ...parts, openCalls: createOpenCalls() };
  const allowed: ReadonlySet<string> = new Set(parts.allowedOrigins);
  return (routes) => {
    routes.add<McpMessage>({
      method: 'post',
      path: PATH,
      access: 'api_key',
      tag: TAG,
      operationId: 'sendMcpMessage',
      summary: 'A message of the Model Context Protocol (streamable HTTP), with an API key',
      errors: [],
      body: { kind: 'json', schema: mcpMessageSchema },
      answers: {
        200: {
          description: 'The answer: a JSON-RPC message, or a stream that ends with it',
          schema: z.looseObject({ jsonrpc: z.literal('2.0') }),
          orStream: z.string().meta({
            examples: ['event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n'],
          }),
        },
        202: { description: 'A notification was taken' },
        400: { description: 'The message makes no sense here.', schema: z.union([rpcError, textError]) },
        404: { description: 'There is no such method in this revision of the protocol.', schema: rpcError },
        406: {
          description: 'The client does not accept `application/json` and `text/event-stream`.',
          schema: rpcError,
        },
      },
      handle: (c, { body }) => {
        requireKnownOrigin(c, allowed);
        return answer(tools, c, body);
      },
    });
    for (const method of ['get', 'delete'] as const) mountRefusal(routes, method);
  };
}

/** There is nothing to listen to between the calls, and no session to end; clients that try are told as the protocol wants. */
function mountRefusal(routes: Parameters<MountRoutes>[0], method: 'get' | 'delete'): void {
  routes.add({
    method,
    path: PATH,
    access: 'api_key',
    tag: TAG,
    operationId: method === 'get' ? 'openMcpStream' : 'endMcpSession',
    summary: 'Not used: messages are sent with POST, and there are no sessions',
    errors: [],
    answers: { 405: { description: 'Send messages with POST.', schema: textError } },
    handle: (c) => c.json({ detail: 'Send messages with POST.' }, 405, { Allow: 'POST' }),
  });
}

/** Browsers say which page asks: one of another site is refused, whatever it holds (DNS rebinding). */
function requireKnownOrigin(c: AppContext, allowed: ReadonlySet<string>): void {
  const origin = c.req.header('origin');
  if (origin === undefined || allowed.has(origin) || isOwnOrigin(c.var.target, origin)) return;
  throw new ServiceError(
    'forbidden',
    'This page may not use the MCP server. Add its origin to server.cors_origins.',
  );
}

/** Each message gets a server of its own, which knows its user and is gone with the answer. */
async function answer(parts: McpToolParts, c: AppContext, message: McpMessage): Promise<Response> {
  const caller: McpCaller = { c, session: c.req.header(SESSION) };
  if (message.method === 'notifications/cancelled') cancel(parts, caller, message);
  const handler = createMcpHandler(() => serverFor(parts, caller), {
    // Nothing changes by itself: nobody can subscribe to anything.
    maxSubscriptions: 0,
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error) => parts.log.debug({ err: error }, 'A message of an MCP client was refused'),
  });
  const response = await handler.fetch(asJson(c), { parsedBody: message });
  if (message.method === 'initialize') response.headers.set(SESSION, parts.newId());
  return response;
}

function serverFor(parts: McpToolParts, caller: McpCaller): McpServer {
  const server = new McpServer(
    { name: 'agent-service', title: 'Agent Service', version: RELEASE },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: INSTRUCTIONS,
      maxToolInputElements: MAX_ARGUMENTS,
    },
  );
  addRunTools(server, parts, caller);
  addThreadTools(server, parts, caller);
  addArtifactTools(server, parts, caller);
  return server;
}

/** The body was read already, and as JSON whatever the client called it. */
function asJson(c: AppContext): Request {
  const headers = new Headers(c.req.raw.headers);
  headers.set('content-type', 'application/json');
  return new Request(c.req.url, { method: 'POST', headers, signal: c.req.raw.signal });
}

const cancelledParams = z.looseObject({ requestId: z.union([z.string().max(128), z.int()]) });

function cancel({ openCalls }: McpToolParts, { c, session }: McpCaller, { params }: McpMessage): void {
  const parsed = cancelledParams.safeParse(params);
  if (parsed.success) openCalls.cancel({ userId: c.var.user.id, session, id: parsed.data.requestId });
}
