// Puts the parts of tool servers together.
import type { McpRouteDependencies } from './http/routes/mcp.ts';
import type { Log } from './log.ts';
import { createServerConfigs } from './mcp/config/server-configs.ts';
import type { Environment } from './mcp/config/variable-references.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import type { AuditLog } from './storage/audit-log.ts';

interface McpRoom {
  readonly routes: McpRouteDependencies;
}

interface McpRoomParts {
  readonly dataHome: string;
  readonly options: McpOptions;
  readonly environment: Environment;
  readonly audit: AuditLog;
  readonly newId: () => string;
  readonly log: Log;
}

export function createMcpRoom({ dataHome, options, environment, audit, newId, log }: McpRoomParts): McpRoom {
  const configs = createServerConfigs({ dataHome, options, environment, newId, log });
  return { routes: { mcp: { configs, audit } } };
}
