// All tools of a user's servers: their names for models, and whether each is offered.
import { createHash } from 'node:crypto';
import type { ToolSwitch } from '../config/server-entry.ts';
import type { ToolServer } from '../tool-server.ts';
import type { ToolState } from './pins.ts';
import type { ListedTool } from './read-tool-list.ts';

/** A tool of a server with everything that decides whether it is offered. */
export interface JudgedTool {
  readonly server: ToolServer;
  readonly tool: ListedTool;
  readonly name: string;
  readonly state: ToolState;
  /** Switched on, not denied, and allowed if only some tools are. */
  readonly enabled: boolean;
  readonly effect: NonNullable<ToolSwitch['effect']>;
  readonly approval: NonNullable<ToolSwitch['approval']>;
}

export interface ServerList {
  readonly server: ToolServer;
  readonly tools: readonly ListedTool[];
  readonly states: ReadonlyMap<string, ToolState>;
}

/** Returns the tools in the order of servers and lists. Names do not depend on what is switched on. */
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

interface NamedTool {
  readonly server: string;
  readonly tool: string;
  readonly prefix: boolean;
}

/** Providers accept letters, digits, hyphens and underscores, and at most this many of them. */
const LONGEST = 64;
const HASH_CHARACTERS = 6;
const LONGEST_HASH = 54;

/**
 * Returns a name for each tool, in order, none of which is taken. The later of two equal names ends with part
 * of a hash, as does a name that is too long or has other characters. So a name depends on other tools as
 * little as possible.
 */
export function toolNames(tools: readonly NamedTool[], taken: ReadonlySet<string>): readonly string[] {
  const used = new Set(taken);
  return tools.map((tool) => {
    const plain = plainName(tool);
    const name = used.has(plain) ? unusedName(plain, tool, used) : plain;
    used.add(name);
    return name;
  });
}

function plainName(tool: NamedTool): string {
  const whole = tool.prefix ? `${tool.server}_${tool.tool}` : tool.tool;
  const safe = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  // Some providers accept no digit and no hyphen at the beginning.
  const begun = /^[0-9-]/.test(safe) ? `t_${safe}` : safe;
  return safe === whole && begun.length <= LONGEST ? begun : hashed(begun, tool, HASH_CHARACTERS);
}

/** Uses more and more of the hash, because a server may search for names whose hashes begin alike. */
function unusedName(plain: string, tool: NamedTool, used: ReadonlySet<string>): string {
  let characters = HASH_CHARACTERS;
  let name = hashed(plain, tool, characters);
  while (used.has(name) && characters < LONGEST_HASH) {
    characters += HASH_CHARACTERS;
    name = hashed(plain, tool, characters);
  }
  return name;
}

function hashed(name: string, { server, tool }: NamedTool, characters: number): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex');
  return `${name.slice(0, LONGEST - characters - 1)}_${hash.slice(0, characters)}`;
}
