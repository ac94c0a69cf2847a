// Responds to one message of an MCP client.
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AppContext } from '../api/context.ts';
import { RELEASE } from '../api/release.ts';
import { addArtifactTools } from './artifact-tools.ts';
import type { McpCaller, McpMessage, McpToolParts } from './mcp-caller.ts';
import { addRunTools } from './run-tools.ts';
import { addThreadTools } from './thread-tools.ts';

const SESSION = 'mcp-session-id';
const MAX_ARGUMENTS = 1_000;
const KEEP_ALIVE_MS = 5_000;

const INSTRUCTIONS =
  'An agent with tools, files and a memory of every thread. start_run gives it a task; get_run with wait_seconds waits ' +
  'for the end and returns the reply; list_artifacts and read_artifact return the files that the agent made.';

/** Creates a server for each message, which knows its user and ends with the response. */
export async function respondToMcpMessage(
  parts: McpToolParts,
  c: AppContext,
  message: McpMessage,
): Promise<Response> {
  const caller: McpCaller = { c, session: c.req.header(SESSION) };
  if (message.method === 'notifications/cancelled') cancel(parts, caller, message);
  const handler = createMcpHandler(() => serverFor(parts, caller), {
    // Subscriptions are pointless, because no resource changes on its own.
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

/** Returns the request as JSON, whatever type the client declared. The body was already read. */
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
