// All tools of a user's servers: their names for models, and whether each is offered.
import type { ToolServer, ToolSwitch } from '../tool-server.ts';
import type { ListedTool } from './listed-tool.ts';
import type { ToolState } from './pins.ts';
import { toolNames } from './tool-names.ts';

/** A tool of a server with all that decides whether it is offered. */
export interface JudgedTool {
  readonly server: ToolServer;
  readonly tool: ListedTool;
  /** As models see it. */
  readonly name: string;
  readonly state: ToolState;
  /** Switched on, and neither denied nor missing among those that are allowed. */
  readonly enabled: boolean;
  readonly effect: 'read' | 'idempotent' | 'once';
  readonly approval: 'always' | 'never' | 'once_per_thread';
}

export interface ServerList {
  readonly server: ToolServer;
  readonly tools: readonly ListedTool[];
  readonly states: ReadonlyMap<string, ToolState>;
}

/** In the order of the servers and their tools. Names do not depend on what is switched on. */
export function judgedTools(
  lists: readonly ServerList[],
  takenNames: ReadonlySet<string>,
): readonly JudgedTool[] {
  const all = lists.flatMap(({ server, tools, states }) => {
    const judge = judgeOf(server, states);
    return tools.map(judge);
  });
  const names = toolNames(
    all.map(({ server, tool }) => ({
      server: server.name,
      tool: tool.name,
      prefix: server.entry.tool_name_prefix,
    })),
    takenNames,
  );
  return all.map((it, index) => ({ ...it, name: names[index] ?? it.tool.name }));
}

function judgeOf(server: ToolServer, states: ReadonlyMap<string, ToolState>) {
  const { entry } = server;
  const switches = new Map<string, ToolSwitch>(Object.entries(entry.tools));
  const denied = new Set(entry.denied_tools);
  const allowed = entry.allowed_tools && new Set(entry.allowed_tools);
  return (tool: ListedTool): Omit<JudgedTool, 'name'> => {
    const { enabled = true, effect = 'once', approval = 'never' } = switches.get(tool.name) ?? {};
    const isAllowed = !denied.has(tool.name) && (allowed?.has(tool.name) ?? true);
    const state = states.get(tool.name) ?? 'new';
    return { server, tool, state, enabled: enabled && isAllowed, effect, approval };
  };
}
