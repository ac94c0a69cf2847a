// Puts the parts of tool servers together.
import { createMcpSource } from './agent/sources/mcp-source.ts';
import type { ToolSource } from './agent/tool-source.ts';
import type { Upkeep } from './create-thread-room.ts';
import type { McpRouteDependencies } from './http/routes/mcp.ts';
import type { Log } from './log.ts';
import { createServerConfigs } from './mcp/config/server-configs.ts';
import type { Environment } from './mcp/config/variable-references.ts';
import { createMcp } from './mcp/create-mcp.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import type { ConfinementOf } from './processes/confinement.ts';
import type { Storage } from './storage/storage.ts';
import { OWN_TOOL_NAMES } from './tools/own-tool-names.ts';
import type { SandboxOptions } from './workspace/sandbox/sandbox-options.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

interface McpRoom {
  readonly routes: McpRouteDependencies;
  readonly source: ToolSource;
  readonly upkeep: Upkeep;
}

interface McpRoomParts {
  readonly config: { readonly mcp: McpOptions; readonly sandbox: Pick<SandboxOptions, 'path'> };
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
}

export function createMcpRoom(parts: McpRoomParts): McpRoom {
  const { config, dataHome, environment, storage, workspace, hidden, confinement, newId, now, log } = parts;
  const configs = createServerConfigs({ dataHome, options: config.mcp, environment, newId, log });
  const mcp = createMcp({
    servers: configs.current,
    authOf: () => undefined,
    takenNames: OWN_TOOL_NAMES,
    dataHome,
    path: config.sandbox.path,
    hidden,
    confinement,
    log,
    now,
  });
  return {
    routes: { mcp: { configs, audit: storage.audit } },
    source: createMcpSource({ forRun: mcp.forRun, filesFor: workspace }),
    upkeep: mcp,
  };
}
