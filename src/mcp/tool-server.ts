// A tool server as connections, lists and calls need it.
import { createHash } from 'node:crypto';
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { McpServerEntry } from './config/server-entry.ts';

export interface ToolServer {
  readonly name: string;
  /** The administrator's configuration, with values of the environment filled in. */
  readonly entry: McpServerEntry;
  /** Changes with anything in the entry. Connections are then opened again. */
  readonly version: string;
  /** Why it cannot be used as configured: a sentence for the operator that holds no value. */
  readonly problem: string | undefined;
}

/** The account of a user at a server, for the library's transports. */
export interface ServerAccount extends AuthProvider {
  /** Called when the server refused a request because the account lacks these scopes. */
  lacks(scope: string): Promise<void>;
}

/** Returns the configured servers by name. Called at every run: from memory when nothing changed. */
export type ToolServersOf = () => Promise<ReadonlyMap<string, ToolServer>>;

/** Returns a file name for the server's name and its program or address, whatever else is configured. */
export function serverKey({ name, entry }: ToolServer): string {
  const { type, command, args, url } = entry;
  const text = JSON.stringify([name, type, command ?? null, args, url ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Enough of the hash to detect a change, and too little to recover a secret. */
const MARK_CHARACTERS = 6;

/** Returns a mark that changes when the same server gets other variables, headers or another account. */
export function settingsMark({ entry: { env, headers, oauth } }: ToolServer): string {
  const text = JSON.stringify([env, headers, oauth ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, MARK_CHARACTERS);
}
