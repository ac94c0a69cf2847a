// The official MCP client, connected to the service in process.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { TestService } from '../support/service.ts';

const MCP_URL = 'http://localhost/mcp';
export const ACCEPT = 'application/json, text/event-stream';

export interface McpConnection {
  readonly client: Client;
  /** The value that a tool answers; throws with its sentence when it refuses. */
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>;
  /** The sentence with which a tool refuses; throws when it does not. */
  refusal(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<string>;
  /** What a tool answers, as it is. */
  raw(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
}

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>;
type ToolResult = z.output<typeof toolResult>;

const toolResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** `mode: 'auto'` asks for the newest revision of the protocol; without it the client begins with `initialize`. */
export async function connectMcp(
  { service }: Pick<TestService, 'service'>,
  key: string,
  versionNegotiation?: { readonly mode: 'auto' },
): Promise<McpConnection> {
  const client = new Client(
    { name: 'a test', version: '1.0.0' },
    versionNegotiation === undefined ? {} : { versionNegotiation },
  );
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: async (url, init) => service.app.request(String(url), init),
  });
  await client.connect(transport);
  const raw: McpConnection['raw'] = async (name, args = {}, options = {}) =>
    toolResult.parse(await client.callTool({ name, arguments: args }, options));
  return {
    client,
    raw,
    async call(name, args, options) {
      const { isError, content, structuredContent } = await raw(name, args, options);
      if (isError === true || structuredContent === undefined) throw new Error(content[0]?.text ?? 'no text');
      return structuredContent;
    },
    async refusal(name, args, options) {
      const { isError, content } = await raw(name, args, options);
      if (isError !== true) throw new Error(`${name} was not refused`);
      return content[0]?.text ?? '';
    },
  };
}
