// What people see of tool servers, and what administrators do with them.
import { conflict, invalid, notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Connection } from './connections/connection.ts';
import { type KnownServer, type KnownServersParts, knownServers, listsOf } from './known-servers.ts';
import { ServerFailure } from './server-failure.ts';
import { failureText } from './server-words.ts';
import type { ToolServer } from './tool-server.ts';
import { type JudgedTool, judgedTools } from './tools/judged-tools.ts';
import type { ToolDefinition } from './tools/pins.ts';
import type { LeftOut, ListedTool, ReadToolList } from './tools/read-tool-list.ts';

export interface ServerStatus {
  readonly server: ToolServer;
  readonly status: 'ready' | 'connecting' | 'failing' | 'needs_sign_in' | 'disabled';
  /** A sentence: why the server does not work, or which of its tools cannot be offered. */
  readonly reason: string | undefined;
  readonly tools: readonly ToolStatus[];
}

interface ToolStatus extends Omit<JudgedTool, 'server' | 'tool'> {
  readonly originalName: string;
  readonly title: string | undefined;
  readonly description: string;
  /** What would be approved; `undefined` for an approved tool. */
  readonly change: ToolChange | undefined;
}

interface ToolChange {
  /** As it was approved; `undefined` when it is new, or its earlier form is not stored. */
  readonly before: ToolDefinition | undefined;
  readonly after: ToolDefinition;
  readonly digest: string;
}

interface ToolsToApprove {
  /** Absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** The digests that the approving person saw. */
  readonly digests?: Readonly<Record<string, string>> | undefined;
}

interface ServerTrial {
  readonly success: boolean;
  /** For administrators only: it may have the last words of a program. */
  readonly message: string;
  readonly latencyMs: number;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

export type ServerDesk = ReturnType<typeof createServerDesk>;

interface DeskParts extends KnownServersParts {
  readonly open: (server: ToolServer, userId: string, signal: AbortSignal) => Promise<Connection>;
  readonly log: Pick<Log, 'warn'>;
  readonly readTools: ReadToolList;
  readonly takenNames: ReadonlySet<string>;
}

const MOST_LEFT_OUT_SHOWN = 3;
const UNEXPECTED =
  'The response of the server could not be read. See the logs of the service and of the server for the reason.';

export function createServerDesk(parts: DeskParts) {
  const { servers, lists, pins, pool, open, readTools, takenNames, log, isPersonal, now } = parts;
  const named = async (name: string): Promise<ToolServer> => {
    const server = (await servers()).get(name);
    if (server === undefined) throw notFound('Tool server');
    return server;
  };
  const statuses = async (userId: string): Promise<readonly ServerStatus[]> => {
    const found = await knownServers(parts, userId, 0);
    const byName = new Map(found.map((it) => [it.server.name, it]));
    const tools = judgedTools(listsOf(found), takenNames).filter(
      (it) => byName.get(it.server.name)?.kind === 'ready',
    );
    const all = [...(await servers()).values()].map(async (server) => {
      const own = tools.filter((it) => it.server.name === server.name);
      const isChanged = own.some(({ state }) => state === 'changed');
      const before = isChanged
        ? await pins.approvedAs(server, isPersonal(server) ? userId : undefined)
        : new Map<string, ToolDefinition>();
      return statusOf(server, byName.get(server.name), { tools: own, before });
    });
    return Promise.all(all);
  };
  return {
    /** Returns all servers as this user sees them, in order. Does not wait for servers that do not respond. */
    statuses,
    /** Opens a new connection, also to a disabled server, and lists its tools. Throws only `not_found`. */
    async test(name: string, userId: string, signal: AbortSignal): Promise<ServerTrial> {
      const server = await named(name);
      const began = now();
      try {
        const connection = await open(server, userId, signal);
        try {
          const list = await readTools(connection, signal);
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
        const message = error instanceof ServerFailure ? failureText(error, server) : UNEXPECTED;
        if (message === UNEXPECTED)
          log.warn({ err: error, server: name }, 'the test of a tool server failed in an unexpected way');
        return { success: false, message, latencyMs: now() - began, tools: [] };
      }
    },
    /** Approves all or none. Throws `not_found`, `invalid` for an unlisted tool, and `conflict` for another digest. */
    async approve(name: string, { tools: wanted, digests = {} }: ToolsToApprove, userId: string) {
      const server = await named(name);
      const known = await lists.known(server, userId);
      if (known.kind !== 'known')
        throw invalid('The tools of this server are not known yet. Test the server first.');
      const chosen = wanted === undefined ? undefined : new Set(wanted);
      const approved = known.list.tools.filter((tool) => chosen?.has(tool.name) ?? true);
      if (chosen !== undefined && approved.length < chosen.size)
        throw invalid('The server has no tool with one of these names. Reload its tools.');
      requireSeen(approved, digests);
      await pins.approve(server, approved);
      const status = (await statuses(userId)).find((it) => it.server.name === name);
      if (status === undefined) throw notFound('Tool server');
      return status;
    },
  };
}

/** Throws `conflict` when the server changed a tool during its review. */
function requireSeen(tools: readonly ListedTool[], digests: Readonly<Record<string, string>>): void {
  const seen = new Map(Object.entries(digests));
  const other = tools.find(({ name, digest }) => (seen.get(name) ?? digest) !== digest);
  if (other === undefined) return;
  throw conflict(
    `The server has changed '${other.name}' again. Review the current version and approve that.`,
  );
}

interface ToolsToShow {
  readonly tools: readonly JudgedTool[];
  /** The approved form of tools that changed. */
  readonly before: ReadonlyMap<string, ToolDefinition>;
}

function statusOf(
  server: ToolServer,
  known: KnownServer | undefined,
  { tools, before }: ToolsToShow,
): ServerStatus {
  const shown = tools.map(({ server: _, tool: { name: originalName, title, ...tool }, ...it }) => {
    const { description, inputSchema, digest } = tool;
    const after = { description, inputSchema };
    const isApproved = it.state === 'approved';
    const change = isApproved ? undefined : { before: before.get(originalName), after, digest };
    return { ...it, originalName, title, description, change };
  });
  if (known === undefined) return { server, status: 'disabled', reason: undefined, tools: shown };
  switch (known.kind) {
    case 'ready':
      return { server, status: 'ready', reason: leftOutText(known.list.leftOut), tools: shown };
    case 'connecting':
      return { server, status: 'connecting', reason: undefined, tools: shown };
    case 'failing':
    case 'needs_sign_in':
      return { server, status: known.kind, reason: known.reason, tools: shown };
  }
}

function leftOutText(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const listed = leftOut
    .slice(0, MOST_LEFT_OUT_SHOWN)
    .map(({ name, reason }) => (name === '' ? reason : `${name}: ${reason}`));
  const more = leftOut.length > listed.length ? ` and ${leftOut.length - listed.length} more` : '';
  return `Not offered: ${listed.join('; ')}${more}.`;
}
