// The parts of a configured server that decide how users sign in to it.
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Resolve } from '../../network/checked-host.ts';
import type { McpOauth } from '../config/server-entry.ts';
import type { ToolServer } from '../tool-server.ts';
import { createAuthorizationFetch } from './authorization-fetch.ts';

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

export type FetchFor = (server: RemoteServer) => FetchLike;

interface FetchForParts {
  /** Hosts inside the network that may be asked, as `host` or `host:port`. */
  readonly allowHosts: readonly string[];
  readonly resolve: Resolve;
}

/** Allows internal addresses of the entry itself, with scheme and port: an administrator named them. */
export function createFetchFor({ allowHosts, resolve }: FetchForParts): FetchFor {
  return ({ url, oauth }) => {
    const origins = [url, oauth?.token_url].flatMap((text) => URL.parse(text ?? '')?.origin ?? []);
    return createAuthorizationFetch({ resolve, named: new Set([...allowHosts, ...origins]) });
  };
}
