// What is known of a user's servers, and which of them cannot be used.
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionPool } from './connections/pool.ts';
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
  /** The server's tools are being read for the first time. */
  | { readonly kind: 'connecting'; readonly server: ToolServer }
  | {
      readonly kind: 'failing' | 'needs_sign_in';
      readonly server: ToolServer;
      /** A sentence for people and models. */
      readonly reason: string;
      /** What it had when it worked, not approved. No tool of another server takes one of these names. */
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

/** Returns the enabled servers in order. Waits for unread lists until `waitMs` after their reading began. */
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
    return list === undefined ? [] : [await knownServer(parts, { server, userId }, list)];
  });
  return (await Promise.all(known)).flat();
}

async function knownServer(
  { pool, pins, isPersonal }: KnownServersParts,
  { server, userId }: { readonly server: ToolServer; readonly userId: string },
  known: KnownList,
): Promise<KnownServer> {
  const broken = pool.brokenBecause(server, userId);
  if (broken !== undefined) {
    const judged =
      known.kind === 'known' ? { server, tools: known.list.tools, states: new Map() } : undefined;
    return { kind: 'failing', server, reason: broken, judged };
  }
  switch (known.kind) {
    case 'reading':
      return { kind: 'connecting', server };
    case 'failed': {
      const { kind, message: reason } = known.failure;
      return { kind: kind === 'needs_sign_in' ? kind : 'failing', server, reason, judged: undefined };
    }
    case 'known': {
      const { list } = known;
      const states = await pins.judge(server, list.tools, isPersonal(server) ? userId : undefined);
      return { kind: 'ready', server, list, judged: { server, tools: list.tools, states } };
    }
  }
}

export function listsOf(servers: readonly KnownServer[]): readonly ServerList[] {
  return servers.flatMap((it) => (it.kind === 'connecting' ? [] : (it.judged ?? [])));
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  if (ms > 0) await Promise.race([work, pause(ms, undefined, { ref: false })]);
}
