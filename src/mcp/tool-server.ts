// A tool server as connections, lists and calls need to know it.
import { createHash } from 'node:crypto';
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { McpOauth } from './config/server-entry.ts';

/** How one tool of a server is used; what is absent is as it is for every tool. */
export interface ToolSwitch {
  readonly enabled?: boolean | undefined;
  readonly effect?: 'read' | 'idempotent' | 'once' | undefined;
  readonly approval?: 'always' | 'never' | 'once_per_thread' | undefined;
}

/** What an administrator configured; values of the environment are in it already. Times are seconds. */
interface ToolServerEntry {
  readonly enabled: boolean;
  readonly type: 'stdio' | 'sse' | 'http';
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: McpOauth | undefined;
  readonly description: string;
  readonly tool_name_prefix: boolean;
  readonly tool_call_timeout: number;
  readonly session_init_timeout: number;
  /** By the names that the server gives them, as `denied_tools` and `tools`. Absent: all. */
  readonly allowed_tools?: readonly string[] | undefined;
  readonly denied_tools: readonly string[];
  readonly tools: Readonly<Record<string, ToolSwitch>>;
}

export interface ToolServer {
  readonly name: string;
  readonly entry: ToolServerEntry;
  /** Another one when anything of the entry is another: then its connections are made anew. */
  readonly version: string;
  /** Why it cannot be used as it is configured: a sentence for the operator that holds no value. */
  readonly problem: string | undefined;
}

/** The account of a user at a server, for the transports of the library. */
export interface ServerAccount extends AuthProvider {
  /** The server refused a request because the account lacks these scopes. */
  lacks(scope: string): Promise<void>;
}

/** The servers as they are configured now, by name. Asked at every run: from memory when nothing changed. */
export type ToolServersOf = () => Promise<ReadonlyMap<string, ToolServer>>;

/** The same for the same name and the same program or address, whatever else is configured. A name for a file. */
export function serverKey({ name, entry }: ToolServer): string {
  const { type, command, args, url } = entry;
  const text = JSON.stringify([name, type, command ?? null, args, url ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Enough of the hash to detect a change, and too little to recover a secret from it. */
const MARK_CHARACTERS = 6;

/** Another one when the same server is given other variables, headers or another account. */
export function settingsMark({ entry: { env, headers, oauth } }: ToolServer): string {
  const text = JSON.stringify([env, headers, oauth ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, MARK_CHARACTERS);
}
