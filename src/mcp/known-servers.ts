// What is known of the servers of a user, and which of them cannot be used.
import type { ConnectionPool } from './connections/pool.ts';
import type { ServerFailure } from './server-failure.ts';
import type { ToolServer, ToolServersOf } from './tool-server.ts';
import type { ServerList } from './tools/judged-tools.ts';
import type { Pins } from './tools/pins.ts';
import type { ToolList } from './tools/read-tool-list.ts';
import type { KnownList, ToolLists } from './tools/tool-lists.ts';

export type KnownServer =
  | {
      readonly kind: 'ready';
      readonly server: ToolServer;
      readonly list: ToolList;
      readonly judged: ServerList;
    }
  /** Its tools are being read for the first time. */
  | { readonly kind: 'connecting'; readonly server: ToolServer }
  | {
      readonly kind: 'failing' | 'needs_sign_in';
      readonly server: ToolServer;
      /** A sentence for people and models. */
      readonly reason: string;
      /** What it had when it worked: no tool of another server takes the names of these. None of them is approved. */
      readonly judged: ServerList | undefined;
    };

export interface KnownServersParts {
  readonly servers: ToolServersOf;
  readonly pool: ConnectionPool;
  readonly lists: ToolLists;
  readonly pins: Pins;
  readonly isPersonal: (server: ToolServer) => boolean;
  readonly now: () => number;
}

/**
 * Of the servers that are switched on, in their order. What was never read is waited for until `waitMs` after its reading
 * began, so that the runs of a user wait once.
 */
export async function knownServers(
  parts: KnownServersParts,
  userId: string,
  waitMs: number,
): Promise<readonly KnownServer[]> {
  const { servers, lists, now } = parts;
  const enabled = [...(await servers()).values()].filter(({ entry }) => entry.enabled);
  const readKnown = () => Promise.all(enabled.map((server) => lists.known(server, userId)));
  let found = await readKnown();
  const waits = found.flatMap((it) =>
    it.kind === 'reading' ? [within(it.done, it.since + waitMs - now())] : [],
  );
  await Promise.all(waits);
  if (waits.length > 0) found = await readKnown();
  const known = enabled.map(async (server, index): Promise<readonly KnownServer[]> => {
    const list = found[index];
    return list === undefined ? [] : [await knownServer(parts, { server, userId, list })];
  });
  return (await Promise.all(known)).flat();
}

interface KnownServerParts {
  readonly server: ToolServer;
  readonly userId: string;
  readonly list: KnownList;
}

async function knownServer(
  { pool, pins, isPersonal }: KnownServersParts,
  { server, userId, list: known }: KnownServerParts,
): Promise<KnownServer> {
  const broken = pool.brokenBecause(server, userId);
  if (broken !== undefined) {
    const judged = known.kind === 'known' ? unusable(server, known.list) : undefined;
    return { kind: 'failing', server, reason: broken, judged };
  }
  switch (known.kind) {
    case 'reading':
      return { kind: 'connecting', server };
    case 'failed':
      return failed(server, known.failure);
    case 'known': {
      const { list } = known;
      const states = await pins.judge(server, list.tools, isPersonal(server) ? userId : undefined);
      return { kind: 'ready', server, list, judged: { server, tools: list.tools, states } };
    }
    default:
      return known satisfies never;
  }
}

function failed(server: ToolServer, { kind, message }: ServerFailure): KnownServer {
  const failing = kind === 'needs_sign_in' ? kind : 'failing';
  return { kind: failing, server, reason: message, judged: undefined };
}

function unusable(server: ToolServer, { tools }: ToolList): ServerList {
  return { server, tools, states: new Map() };
}

/** In the order of the servers. */
export function listsOf(servers: readonly KnownServer[]): readonly ServerList[] {
  return servers.flatMap((it) => (it.kind === 'connecting' ? [] : (it.judged ?? [])));
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  if (ms <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
