// A remote tool server in this process with scripted replies, and a pool of connections to it.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serverEntrySchema } from '../../src/mcp/config/server-entry.ts';
import { openConnection } from '../../src/mcp/connections/open-connection.ts';
import { ConnectionPool } from '../../src/mcp/connections/pool.ts';
import type { ToolServer } from '../../src/mcp/tool-server.ts';
import { type Resolve, resolveBySystem } from '../../src/network/checked-host.ts';

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

export interface RemoteServer {
  readonly url: string;
  /** Its requests, in order. */
  readonly asked: string[];
  /** Ends all sessions, as a restart does. */
  restart(): void;
  close(): void;
}

/** Streamable HTTP with sessions; `reply` handles all requests except `initialize`. */
export async function startRemote(
  reply: (asked: Asked, response: ServerResponse) => void,
): Promise<RemoteServer> {
  const sessions = new Set<string>();
  const asked: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message: Asked = JSON.parse(await text(request));
    const { id, method = '', params } = message;
    asked.push(method);
    if (method === 'initialize') {
      const session = `session-${asked.length}`;
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
      const { protocolVersion } = params ?? {};
      const serverInfo = { name: 'remote', version: '1' };
      return answerJson(response, id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    }
    if (!sessions.has(String(request.headers['mcp-session-id'])))
      return void response.writeHead(404).end('Session not found');
    if (id === undefined) return void response.writeHead(202).end();
    reply(message, response);
  };
  const started = await listen((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return { ...started, asked, restart: () => sessions.clear() };
}

export function answerJson(response: ServerResponse, id: number | undefined, result: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

export async function listen(
  reply: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(reply).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}

/** Returns the server as configured; times are seconds. */
export function remoteServer(entry: Record<string, unknown>, version = 'first'): ToolServer {
  const parsed = serverEntrySchema.parse({ type: 'http', ...entry });
  return { name: 'remote', entry: parsed, version, problem: undefined };
}

export function remotePool(resolve: Resolve = resolveBySystem): ConnectionPool {
  const parts = {
    dataHome: '/nowhere',
    path: '/nowhere',
    hidden: [],
    confinement: () => Promise.reject(new Error('No program is started here.')),
    authOf: () => undefined,
    resolve,
  };
  return new ConnectionPool({
    open: (server, userId, signal) => openConnection(parts, server, { userId, signal }),
    onOpen() {},
    now: () => 0,
  });
}
