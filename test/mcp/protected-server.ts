// A tool server over HTTP that requires an access token of its authorization server.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AuthorizationServer, closed } from './authorization-server.ts';

export interface ProtectedServer {
  readonly url: string;
  /** Access tokens of the accepted requests. */
  readonly tokens: string[];
  close(): Promise<void>;
}

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const TOOL = { name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: {} } };

export async function startProtectedServer(
  authorization: Pick<AuthorizationServer, 'issuer' | 'accepts'>,
): Promise<ProtectedServer> {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    void reply(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadataUrl = `${origin}/about-access`;
  const metadata = { resource: `${origin}/mcp`, authorization_servers: [authorization.issuer] };

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object, headers: Record<string, string> = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.url === '/about-access') return send(200, metadata);
    if (request.url !== '/mcp') return send(404, {});
    const token = request.headers.authorization?.replace(/^Bearer /, '');
    if (!authorization.accepts(token))
      return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadataUrl}"` });
    if (token !== undefined) tokens.push(token);
    if (request.method !== 'POST') return send(405, {});
    const asked: RpcRequest = JSON.parse(await text(request));
    if (asked.id === undefined) return send(202, {});
    send(200, { jsonrpc: '2.0', id: asked.id, ...resultOf(asked) });
  }

  return { url: `${origin}/mcp`, tokens, close: () => closed(server) };
}

function resultOf({ method, params }: RpcRequest): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'protected', version: '1' },
        },
      };
    case 'tools/list':
      return { result: { tools: [TOOL] } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: 'Hello' }] } };
    default:
      return { error: { code: -32_601, message: 'Not offered' } };
  }
}
