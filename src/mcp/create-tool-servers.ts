// Creates tool servers: how they are configured, the accounts that people have at them, and their client.
import type { Log } from '../log.ts';
import type { ConfinementOf } from '../processes/confinement.ts';
import type { JobTaker } from '../upkeep/upkeep.ts';
import { createServerConfigs, type ServerConfigs } from './config/server-configs.ts';
import type { Environment } from './config/variable-references.ts';
import { createMcp, type Mcp } from './create-mcp.ts';
import type { McpOptions } from './mcp-options.ts';
import { createOauth, type Oauth } from './oauth/create-oauth.ts';

export interface ToolServers extends Pick<Mcp, 'forRun' | 'desk'> {
  readonly configs: ServerConfigs;
  readonly oauth: Oauth;
}

interface ToolServersParts {
  readonly options: McpOptions;
  readonly dataHome: string;
  readonly environment: Environment;
  /** Variables that the service itself is configured with: entries refer to them only where the options list them. */
  readonly ownVariables: readonly string[];
  /** Seals the accounts. */
  readonly key: Buffer;
  /** Names that no tool of a server may have, because the service's own tools have them. */
  readonly takenNames: ReadonlySet<string>;
  /** Where programs of servers are looked for. */
  readonly path: string;
  /** Files and folders that no program of a server may see. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly upkeep: JobTaker;
}

export function createToolServers(parts: ToolServersParts): ToolServers {
  const { options, dataHome, environment, ownVariables, key, takenNames } = parts;
  const { path, hidden, confinement, newId, now, log, upkeep } = parts;
  const configs = createServerConfigs({ dataHome, options, environment, ownVariables, newId, log });
  const oauth = createOauth({
    dataHome,
    configs,
    key,
    allowHosts: options.allow_hosts,
    onChange: ({ userId, server }) => mcp.forget(userId, server),
    newId,
    log,
    now,
  });
  const mcp = createMcp({
    servers: configs.current,
    authOf: oauth.authOf,
    isPersonal: oauth.isPersonal,
    takenNames,
    dataHome,
    path,
    hidden,
    confinement,
    log,
    now,
  });
  upkeep.add(mcp.job);
  return { configs, oauth, desk: mcp.desk, forRun: mcp.forRun };
}
