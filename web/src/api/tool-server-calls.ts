// The calls about tool servers.
import { type Call, read } from './call.ts';
import {
  authorizationSchema,
  type ServerConfig,
  type ServerTest,
  serverConfigSchema,
  serverTestSchema,
  type ToolServer,
  toolServerListSchema,
} from './tool-server-shapes.ts';

export function createToolServerCalls(call: Call) {
  return {
    /** Returns all servers with the caller's permissions for each. */
    toolServers: async (): Promise<readonly ToolServer[]> =>
      (await read(await call('GET', '/api/mcp/servers'), toolServerListSchema)).servers,
    /** For administrators only, like every call here except signing in and out. */
    serverConfig: async (): Promise<ServerConfig> =>
      read(await call('GET', '/api/mcp/config'), serverConfigSchema),
    writeServerConfig: (config: ServerConfig) => call('PUT', '/api/mcp/config', config),
    /** Resolves even when the server does not work. The message then gives the reason. */
    testToolServer: async (name: string): Promise<ServerTest> =>
      read(await call('POST', `${serverPath(name)}/test`), serverTestSchema),
    /** `digests` has the digest of each reviewed definition, keyed by the server's name of the tool. */
    approveTools: (name: string, digests: Readonly<Record<string, string>>) =>
      call('POST', `${serverPath(name)}/tools/approve`, { tools: Object.keys(digests), digests }),
    /** Returns the address of the server's sign-in page, which leads back here. */
    signInAddress: async (name: string): Promise<string> =>
      (await read(await call('POST', `${serverPath(name)}/sign-in`), authorizationSchema)).authorization_url,
    signOutOfServer: (name: string) => call('DELETE', `${serverPath(name)}/sign-in`),
  };
}

function serverPath(name: string): string {
  return `/api/mcp/servers/${encodeURIComponent(name)}`;
}
