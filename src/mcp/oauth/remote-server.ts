// The parts of a configured server that decide how users sign in to it.
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Resolve } from '../../network/checked-host.ts';
import type { McpOauth } from '../config/server-entry.ts';
import { createAuthorizationFetch } from './authorization-fetch.ts';

/** A server of the document. */
export interface AccountServer {
  readonly name: string;
  readonly entry: {
    readonly type: 'stdio' | 'sse' | 'http';
    readonly url?: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly oauth?: McpOauth | undefined;
  };
}

/** One that may have accounts. */
export interface RemoteServer {
  readonly name: string;
  readonly type: 'sse' | 'http';
  readonly url: string;
  readonly oauth: McpOauth | undefined;
  /** People sign in by themselves; otherwise the service has one account for everybody, or none. */
  readonly isPersonal: boolean;
}

/** `undefined` for a program, and for a server that gets its credentials in a header or none at all. */
export function remoteServer({ name, entry }: AccountServer): RemoteServer | undefined {
  const { type, url, headers, oauth } = entry;
  if (type === 'stdio' || url === undefined || oauth?.enabled === false) return undefined;
  if (Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')) return undefined;
  const isPersonal = oauth === undefined || oauth.grant_type === 'authorization_code';
  return { name, type, url, oauth, isPersonal };
}

/** For requests to the authorization server of a tool server. */
export type FetchFor = (server: RemoteServer) => FetchLike;

interface FetchForParts {
  /** Hosts inside of the network that may be asked, as `host` or `host:port`. */
  readonly allowHosts: readonly string[];
  readonly resolve: Resolve;
}

/** The addresses of the entry itself, with their scheme and port, may lie inside as well: an administrator named them. */
export function createFetchFor({ allowHosts, resolve }: FetchForParts): FetchFor {
  return ({ url, oauth }) => {
    const origins = [url, oauth?.token_url].flatMap((text) => URL.parse(text ?? '')?.origin ?? []);
    return createAuthorizationFetch({ resolve, named: new Set([...allowHosts, ...origins]) });
  };
}
