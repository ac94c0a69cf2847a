// Tools of the tool servers that are connected for a user, as a source for the user's runs.
import { z } from 'zod';
import { allowsServer } from '../../agents/tool-groups.ts';
import type { McpForRun, McpTool, MissingServer } from '../../mcp/mcp-tool.ts';
import { createMaterialTools } from '../../tools/mcp-material-tools.ts';
import { toolOfServer } from '../../tools/mcp-tool.ts';
import { createToolSearch, FOUND_TOOLS, TOOL_SEARCH } from '../../tools/tool-search.ts';
import type { WorkspaceFilesOf } from '../../workspace/workspace-files.ts';
import { type Approvals, createApprovalsMiddleware } from '../middleware/approvals.ts';
import type { Middleware } from '../middleware.ts';
import type { ToolSource } from '../tool-source.ts';

interface McpSourceParts {
  readonly forRun: (userId: string) => Promise<McpForRun>;
  readonly filesFor: WorkspaceFilesOf;
}

/** With more tools, a model is shown only their names, and finds their schemas with `tool_search`. */
const MOST_SHOWN = 40;
const MAX_NAME_CHARACTERS = 8_000;

export function createMcpSource({ forRun, filesFor }: McpSourceParts): ToolSource {
  return {
    name: 'tool servers',
    async forRun({ userId, profile }) {
      const { tools, materials, missing } = allowed(await forRun(userId), profile?.toolGroups ?? null);
      const isDeferred = tools.length > MOST_SHOWN;
      return {
        tools: [
          ...tools.map((tool) => toolOfServer(tool, filesFor)),
          ...createMaterialTools(materials, filesFor),
          ...(isDeferred ? [createToolSearch(tools)] : []),
        ],
        prompt: [isDeferred ? deferredPrompt(tools) : '', missingPrompt(missing)]
          .filter((it) => it !== '')
          .join('\n\n'),
        middleware: [
          ...approvalsOf(tools),
          ...(isDeferred ? [createDeferredToolsMiddleware(new Set(tools.map(({ name }) => name)))] : []),
        ],
      };
    },
  };
}

function allowed(given: McpForRun, groups: readonly string[] | null): McpForRun {
  if (groups === null) return given;
  const isAllowed = ({ server }: { readonly server: string }) => allowsServer(groups, server);
  return {
    tools: given.tools.filter(isAllowed),
    materials: given.materials.filter(isAllowed),
    missing: given.missing.filter(isAllowed),
  };
}

function approvalsOf(tools: readonly McpTool[]): readonly Middleware[] {
  const asked = tools.filter(({ approval }) => approval !== 'never');
  if (asked.length === 0) return [];
  const approvals: Approvals = Object.fromEntries(asked.map(({ name, approval }) => [name, approval]));
  return [createApprovalsMiddleware(approvals, 'tool_server_approvals')];
}

function deferredPrompt(tools: readonly McpTool[]): string {
  let characters = 0;
  const names = tools.map(({ name }) => name);
  const shown = names.filter((name) => {
    characters += name.length + 2;
    return characters <= MAX_NAME_CHARACTERS;
  });
  const rest = names.length - shown.length;
  const more = rest === 0 ? '' : ` and ${rest} more`;
  return `Tools of tool servers that you can find with ${TOOL_SEARCH} before you call them: ${shown.join(', ')}${more}.`;
}

/** The reasons are sentences of this service. */
function missingPrompt(missing: readonly MissingServer[]): string {
  if (missing.length === 0) return '';
  const lines = missing.map(({ server, reason }) => `- ${server}: ${reason}`);
  return `Tool servers that are unavailable right now; tell the person if they ask for one:\n${lines.join('\n')}`;
}

const names = z.array(z.string());

/** Hides the tools named in `deferred`. Found ones stay shown in the thread, at their usual positions. */
function createDeferredToolsMiddleware(deferred: ReadonlySet<string>): Middleware {
  return {
    name: 'deferred_tools',
    shapeRequest(request, { values }) {
      const found = new Set(names.safeParse(values[FOUND_TOOLS]).data);
      return {
        ...request,
        tools: request.tools.filter(({ name }) => !deferred.has(name) || found.has(name)),
      };
    },
  };
}
