// The names under which models see tools.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { toolNames } from '../../src/mcp/tools/judged-tools.ts';

const PROVIDERS_TAKE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const alone = (...tools: readonly string[]) => tools.map((tool) => ({ server: 'a', tool, prefix: false }));
const hashOf = (tool: string) =>
  createHash('sha256')
    .update(JSON.stringify(['a', tool]))
    .digest('hex')
    .slice(0, 6);

/** Returns two long names with the same beginning, also of their hashes. */
function twins(): readonly [string, string] {
  const seen = new Map<string, string>();
  for (let index = 0; ; index += 1) {
    const name = `${'x'.repeat(70)}${index}`;
    const other = seen.get(hashOf(name));
    if (other !== undefined) return [other, name];
    seen.set(hashOf(name), name);
  }
}

it('[mcp.tools.names] are names that providers accept, each for one tool', () => {
  const given = alone('3d', '-x', 'a b', 'a_b', 'read_file', 'x'.repeat(65), 'é', 'plain', ...twins());
  const names = toolNames(given, new Set(['read_file']));
  expect(names.filter((name) => !PROVIDERS_TAKE.test(name))).toEqual([]);
  expect(new Set([...names, 'read_file']).size).toBe(given.length + 1);
  expect(names).toContain('plain');
  expect(names[0]).toBe('t_3d');
  expect(names[4]).toMatch(/^read_file_[0-9a-f]{6}$/);
});
