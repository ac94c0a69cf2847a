// Creates the tool servers: their configuration, people's accounts at them, and the client that runs use.
import type { Log } from '../log.ts';
import { resolveBySystem } from '../network/checked-host.ts';
import type { ConfinementOf } from '../processes/confinement.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createServerConfigs, type ServerConfigs } from './config/server-configs.ts';
import type { Environment } from './config/variable-references.ts';
import { ConnectionPool } from './connections/pool.ts';
import { type KnownServer, type KnownServersParts, knownServers, listsOf } from './known-servers.ts';
import type { McpOptions } from './mcp-options.ts';
import type { McpForRun, McpTool, MissingServer } from './mcp-tool.ts';
import { createOauth, type Oauth } from './oauth/create-oauth.ts';
import { createServerDesk, type ServerDesk } from './server-desk.ts';
import { callTool, materialOf, type ServerUse } from './server-tools.ts';
import type { ToolServer } from './tool-server.ts';
import { judgedTools } from './tools/judged-tools.ts';
import { createPins } from './tools/pins.ts';
import { createToolListReader } from './tools/read-tool-list.ts';
import { ToolLists } from './tools/tool-lists.ts';

export interface ToolServers {
  readonly configs: ServerConfigs;
  readonly oauth: Oauth;
  readonly desk: ServerDesk;
  /** Returns what is known, within milliseconds. Waits once, up to two seconds, for lists never read. */
  forRun(userId: string): Promise<McpForRun>;
}

interface ToolServersParts {
  readonly options: McpOptions;
  readonly dataHome: string;
  readonly environment: Environment;
  /** Variables that configure the service itself. Entries refer to them only where the options list them. */
  readonly ownVariables: readonly string[];
  readonly key: Buffer;
  /** Names that no tool of a server may have, because the service's own tools have them. */
  readonly takenNames: ReadonlySet<string>;
  readonly path: string;
  /** Files and folders that no program of a server may see. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
  readonly now: () => number;
  readonly log: Log;
  readonly upkeep: JobTaker;
}

const FIRST_WAIT_MS = 2_000;
const SWEEP_MS = 30_000;

export function createToolServers(parts: ToolServersParts): ToolServers {
  const { options, dataHome, environment, ownVariables, key, takenNames, log, now } = parts;
  const configs = createServerConfigs({ dataHome, options, environment, ownVariables, log });
  const servers = configs.current;
  const oauth = createOauth({
    dataHome,
    configs,
    key,
    allowHosts: options.allow_hosts,
    // The user now has another account there, or none.
    async onChange({ userId, server: name }) {
      const server = (await servers()).get(name);
      if (server === undefined) return;
      await pool.close({ userId, server: name });
      pool.forgive(name);
      await lists.forget(server, userId);
    },
    log,
    now,
  });
  const { authOf, isPersonal } = oauth;
  const { path, hidden, confinement } = parts;
  const open = async (server: ToolServer, userId: string, signal: AbortSignal) => {
    const { openConnection } = await loadLibrary();
    const opening = { dataHome, path, hidden, confinement, authOf, resolve: resolveBySystem };
    return openConnection(opening, server, { userId, signal });
  };
  const pool = new ConnectionPool({
    open,
    onOpen(connection, userId) {
      connection.onToolsChanged(() => lists.changed(connection, userId));
      lists.changed(connection, userId);
    },
    now,
  });
  const readTools = createToolListReader();
  const lists = new ToolLists({ dataHome, pool, readTools, isPersonal, now });
  const pins = createPins(dataHome);
  const stopped = keepConnections(parts, { servers, pool, lists });
  return {
    configs,
    oauth,
    desk: createServerDesk({
      servers,
      pool,
      lists,
      pins,
      isPersonal,
      now,
      open: (server, userId, signal) => open(server, userId, AbortSignal.any([signal, stopped])),
      log,
      readTools,
      takenNames,
    }),
    async forRun(userId) {
      const known = { servers, pool, lists, pins, isPersonal, now };
      const found = await knownServers(known, userId, FIRST_WAIT_MS);
      return usable(found, { pool, servers, userId }, takenNames);
    },
  };
}

/** Ends idle connections, and all connections at the end. The returned signal aborts before that. */
function keepConnections(
  { upkeep }: ToolServersParts,
  { servers, pool, lists }: Pick<KnownServersParts, 'servers' | 'pool' | 'lists'>,
): AbortSignal {
  const stopped = new AbortController();
  upkeep.add({
    name: 'connections to tool servers',
    everyMs: SWEEP_MS,
    async pass({ isFirst }) {
      const known = await servers();
      // Loading blocks everything. With servers it happens now, before any request, else for the first one.
      if (isFirst && known.size > 0) await loadLibrary();
      lists.sweep();
      await pool.sweep(known);
    },
    async last() {
      stopped.abort();
      await Promise.all([lists.stop(), pool.close()]);
    },
  });
  return stopped.signal;
}

/** Loads the library only when needed: it takes a tenth of the time in which the service starts. */
function loadLibrary() {
  return import('./connections/open-connection.ts');
}

function usable(
  found: readonly KnownServer[],
  { pool, servers, userId }: Omit<ServerUse, 'server'>,
  takenNames: ReadonlySet<string>,
): McpForRun {
  const offered = judgedTools(listsOf(found), takenNames).filter(
    ({ enabled, state }) => enabled && state === 'approved',
  );
  return {
    tools: offered.map(({ server, tool, name, effect, approval }): McpTool => {
      const { description, inputSchema } = tool;
      const call: McpTool['call'] = (args, asked) =>
        callTool({ pool, server, servers, userId }, { name: tool.name, args }, asked);
      return { server: server.name, name, description, inputSchema, effect, approval, call };
    }),
    materials: found.flatMap((it) =>
      it.kind === 'ready' ? (materialOf({ pool, server: it.server, servers, userId }, it.list) ?? []) : [],
    ),
    missing: found.flatMap(missingServer),
  };
}

const STARTING = 'It is still starting; its tools will be available in a later turn.';

function missingServer(known: KnownServer): readonly MissingServer[] {
  switch (known.kind) {
    case 'ready':
      return [];
    case 'connecting':
      return [{ server: known.server.name, reason: STARTING }];
    case 'failing':
    case 'needs_sign_in':
      return [{ server: known.server.name, reason: known.reason }];
  }
}
