// What people see of tool servers, and what administrators do about them.
import { invalid, notFound } from '../errors.ts';
import type { Connection } from './connections/connection.ts';
import { type KnownServer, type KnownServersParts, knownServers } from './known-servers.ts';
import { ServerFailure } from './server-failure.ts';
import type { ToolServer } from './tool-server.ts';
import { type JudgedTool, judgedTools } from './tools/judged-tools.ts';
import type { LeftOut } from './tools/listed-tool.ts';
import { readToolList } from './tools/read-tool-list.ts';

export interface ServerStatus {
  readonly server: ToolServer;
  readonly status: 'ready' | 'connecting' | 'failing' | 'needs_sign_in' | 'disabled';
  /** A sentence: why it does not work, or which of its tools are not offered whatever one does. */
  readonly reason: string | undefined;
  readonly tools: readonly ToolStatus[];
}

interface ToolStatus extends Omit<JudgedTool, 'server' | 'tool'> {
  readonly originalName: string;
  readonly title: string | undefined;
  readonly description: string;
}

interface ServerTrial {
  readonly success: boolean;
  /** For administrators alone: it may have the last words of a program. */
  readonly message: string;
  readonly latencyMs: number;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

export interface ServerDesk {
  /** All servers as they are for this user, in their order. Nobody waits for a server that does not answer. */
  statuses(userId: string): Promise<readonly ServerStatus[]>;
  /** Connects anew, also to a server that is switched off, and lists its tools. Throws `not_found`. */
  test(name: string, userId: string): Promise<ServerTrial>;
  /**
   * Approves tools as they are listed now, by the server's names of them; absent: all. Throws `not_found`, and `invalid` for
   * a tool that it does not list.
   */
  approve(name: string, tools: readonly string[] | undefined, userId: string): Promise<ServerStatus>;
}

interface DeskParts extends KnownServersParts {
  readonly open: (server: ToolServer, userId: string) => Promise<Connection>;
  readonly takenNames: ReadonlySet<string>;
}

const DETAILS_CHARACTERS = 1_000;
const LEFT_OUT_TOLD = 3;

export function createServerDesk(parts: DeskParts): ServerDesk {
  const { servers, lists, pins, pool, open, takenNames, now } = parts;
  const named = async (name: string): Promise<ToolServer> => {
    const server = (await servers()).get(name);
    if (server === undefined) throw notFound('Tool server');
    return server;
  };
  const statuses: ServerDesk['statuses'] = async (userId) => {
    const found = await knownServers(parts, userId, 0);
    const byName = new Map(found.map((it) => [it.server.name, it]));
    const tools = judgedTools(found.flatMap((it) => (it.kind === 'ready' ? [it.judged] : []))).map((it) => ({
      ...it,
      enabled: it.enabled && !takenNames.has(it.name),
    }));
    return [...(await servers()).values()].map((server) =>
      statusOf(
        server,
        byName.get(server.name),
        tools.filter((it) => it.server.name === server.name),
      ),
    );
  };
  return {
    statuses,
    async test(name, userId) {
      const server = await named(name);
      const began = now();
      try {
        const connection = await open(server, userId);
        try {
          const list = await readToolList(connection, new AbortController().signal);
          pool.forgive(name);
          await lists.learn(server, userId, list);
          const message = [`It works, and has ${list.tools.length} tools.`, leftOutText(list.leftOut)];
          return {
            success: true,
            message: message.filter((it) => it !== undefined).join(' '),
            latencyMs: now() - began,
            tools: list.tools.map((tool) => ({ name: tool.name, description: tool.description })),
          };
        } finally {
          await connection.close();
        }
      } catch (error) {
        if (!(error instanceof ServerFailure)) throw error;
        return { success: false, message: failureText(error, server), latencyMs: now() - began, tools: [] };
      }
    },
    async approve(name, wanted, userId) {
      const server = await named(name);
      const known = await lists.known(server, userId);
      if (known.kind !== 'known')
        throw invalid('The tools of this server are not known yet. Test the server first.');
      const chosen = wanted === undefined ? undefined : new Set(wanted);
      const approved = known.list.tools.filter((tool) => chosen?.has(tool.name) ?? true);
      if (chosen !== undefined && approved.length < chosen.size)
        throw invalid('The server has no tool of one of these names. Look at its tools again.');
      await pins.approve(server, approved);
      const status = (await statuses(userId)).find((it) => it.server.name === name);
      if (status === undefined) throw notFound('Tool server');
      return status;
    },
  };
}

function statusOf(
  server: ToolServer,
  known: KnownServer | undefined,
  tools: readonly JudgedTool[],
): ServerStatus {
  const shown = tools.map(({ tool: { name: originalName, title, description }, ...it }) => ({
    name: it.name,
    originalName,
    title,
    description,
    state: it.state,
    enabled: it.enabled,
    effect: it.effect,
    approval: it.approval,
  }));
  if (known === undefined) return { server, status: 'disabled', reason: undefined, tools: shown };
  switch (known.kind) {
    case 'ready':
      return { server, status: 'ready', reason: leftOutText(known.list.leftOut), tools: shown };
    case 'connecting':
      return { server, status: 'connecting', reason: undefined, tools: shown };
    case 'failing':
    case 'needs_sign_in':
      return { server, status: known.kind, reason: known.reason, tools: shown };
    default:
      return known satisfies never;
  }
}

function leftOutText(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const told = leftOut
    .slice(0, LEFT_OUT_TOLD)
    .map(({ name, reason }) => (name === '' ? reason : `${name}: ${reason}`));
  const more = leftOut.length > told.length ? ` and ${leftOut.length - told.length} more` : '';
  return `Not offered: ${told.join('; ')}${more}.`;
}

/** What it said last, without what the entry holds of secrets. */
function failureText({ message, details = '' }: ServerFailure, { entry }: ToolServer): string {
  const secrets = [...Object.values(entry.env), ...Object.values(entry.headers)].filter(
    (it) => it.length >= 4,
  );
  const words = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), details).trim();
  return words === '' ? message : `${message} It said: ${words.slice(-DETAILS_CHARACTERS)}`;
}
