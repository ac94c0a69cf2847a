// The names by which models know the tools of servers: providers take letters, digits, hyphens and underscores.
import { createHash } from 'node:crypto';

export interface NamedTool {
  readonly server: string;
  /** The server's name of it. */
  readonly tool: string;
  /** Whether its name begins with the server's. */
  readonly prefix: boolean;
}

const LONGEST = 64;
const HASH_CHARACTERS = 6;
const LONGEST_HASH = 54;

/**
 * A name for each, in their order, none of which is among those that are taken. Of two that would have the same name the
 * later one ends with some signs of a hash, as does one that is too long or has other signs, so that a name depends on
 * other tools as little as it can.
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
  // Some providers take no digit and no hyphen at the beginning.
  const begun = /^[0-9-]/.test(safe) ? `t_${safe}` : safe;
  return safe === whole && begun.length <= LONGEST ? begun : hashed(begun, tool, HASH_CHARACTERS);
}

/** More and more of the hash: a server may look for names whose hashes begin alike. */
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
