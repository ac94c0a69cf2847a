// The parts of a configured server that decide how users sign in to it.
import type { McpOauth } from '../config/server-entry.ts';
import type { ToolServer } from '../tool-server.ts';

export type AccountServer = Pick<ToolServer, 'name' | 'entry'>;

/** A server that can have accounts. */
export interface RemoteServer {
  readonly name: string;
  readonly type: 'sse' | 'http';
  readonly url: string;
  readonly oauth: McpOauth | undefined;
  /** People sign in themselves. Otherwise the service has one account for everyone, or none. */
  readonly isPersonal: boolean;
}

/** Returns `undefined` for a program, and for a server with credentials in a header or none at all. */
export function remoteServer({ name, entry }: AccountServer): RemoteServer | undefined {
  const { type, url, headers, oauth } = entry;
  if (type === 'stdio' || url === undefined || oauth?.enabled === false) return undefined;
  if (Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')) return undefined;
  const isPersonal = oauth === undefined || oauth.grant_type === 'authorization_code';
  return { name, type, url, oauth, isPersonal };
}
