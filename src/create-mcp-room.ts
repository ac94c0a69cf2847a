// Puts the parts of tool servers together.
import { createMcpSource } from './agent/sources/mcp-source.ts';
import type { ToolSource } from './agent/tool-source.ts';
import type { McpRouteDependencies } from './http/routes/mcp.ts';
import type { Log } from './log.ts';
import { createServerConfigs } from './mcp/config/server-configs.ts';
import type { Environment } from './mcp/config/variable-references.ts';
import { createMcp } from './mcp/create-mcp.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import { createOauth } from './mcp/oauth/create-oauth.ts';
import { KEY_VARIABLES } from './models/discover-models.ts';
import type { ConfinementOf } from './processes/confinement.ts';
import type { Storage } from './storage/storage.ts';
import { OWN_TOOL_NAMES } from './tools/own-tool-names.ts';
import type { JobTaker } from './upkeep/upkeep.ts';
import type { SandboxOptions } from './workspace/sandbox/sandbox-options.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

interface McpRoom {
  readonly routes: McpRouteDependencies;
  readonly source: ToolSource;
}

interface McpRoomParts {
  readonly config: {
    readonly mcp: McpOptions;
    readonly sandbox: Pick<SandboxOptions, 'path'>;
    readonly variables: readonly string[];
    readonly server: { readonly public_url?: string | undefined };
  };
  /** A key of the service for one purpose. */
  readonly keyFor: (purpose: string) => Buffer;
  readonly dataHome: string;
  readonly environment: Environment;
  readonly storage: Pick<Storage, 'audit'>;
  readonly workspace: WorkspaceFilesOf;
  /** Files and folders that no program of a server may see. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
  readonly newId: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly upkeep: JobTaker;
}

export function createMcpRoom(parts: McpRoomParts): McpRoom {
  const { config, dataHome, environment, storage, workspace, hidden, confinement, newId, now, log, keyFor } =
    parts;
  const configs = createServerConfigs({
    dataHome,
    options: config.mcp,
    environment,
    ownVariables: [...config.variables, ...KEY_VARIABLES],
    newId,
    log,
  });
  const oauth = createOauth({
    dataHome,
    configs,
    key: keyFor('sign-ins to tool servers'),
    allowHosts: config.mcp.allow_hosts,
    onChange: ({ userId, server }) => mcp.forget(userId, server),
    newId,
    log,
    now,
  });
  const mcp = createMcp({
    servers: configs.current,
    authOf: oauth.authOf,
    isPersonal: oauth.isPersonal,
    takenNames: OWN_TOOL_NAMES,
    dataHome,
    path: config.sandbox.path,
    hidden,
    confinement,
    log,
    now,
  });
  parts.upkeep.add(mcp.job);
  return {
    routes: {
      mcp: {
        configs,
        desk: mcp.desk,
        oauth,
        publicUrl: config.server.public_url,
        audit: storage.audit,
      },
    },
    source: createMcpSource({ forRun: mcp.forRun, filesFor: workspace }),
  };
}
