// Structured content of tool servers as text.
import { describe, expect, it } from 'vitest';
import { callResult } from '../../src/mcp/results/result-parts.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const resultOf = (structuredContent: unknown) =>
  callResult({ content: [], structuredContent, isError: false });

describe('structured content', () => {
  it('[mcp.results.kinds] is shown in one line', async () => {
    const { parts, notes } = await resultOf({ sum: [42] });
    expect(parts).toEqual([{ kind: 'text', text: '{"sum":[42]}' }]);
    expect(notes).toEqual([]);
  });

  it.each([
    ['200 levels', nested(200), 1],
    ['201 levels', nested(201), 0],
    ['more levels than can be printed', nested(100_000), 0],
    ['more than 100,000 values', Array.from({ length: 100_000 }, () => 1), 0],
  ])('[mcp.results.limits] is omitted beyond the limits: %s', async (_what, content, shown) => {
    const { parts, notes } = await resultOf(content);
    expect(parts).toHaveLength(shown);
    expect(notes).toHaveLength(1 - shown);
  });
});
