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

/**
 * A name for each, in their order. Of two that would have the same name the later one ends with some signs of a hash, as
 * does one that is too long or has other signs, so that a name depends on other tools as little as it can.
 */
export function toolNames(tools: readonly NamedTool[]): readonly string[] {
  const used = new Set<string>();
  return tools.map((tool) => {
    const plain = plainName(tool);
    const name = used.has(plain) ? hashed(plain, tool) : plain;
    used.add(name);
    return name;
  });
}

function plainName(tool: NamedTool): string {
  const whole = tool.prefix ? `${tool.server}_${tool.tool}` : tool.tool;
  const safe = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  return safe === whole && safe.length <= LONGEST ? safe : hashed(safe, tool);
}

function hashed(name: string, { server, tool }: NamedTool): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex');
  return `${name.slice(0, LONGEST - HASH_CHARACTERS - 1)}_${hash.slice(0, HASH_CHARACTERS)}`;
}
