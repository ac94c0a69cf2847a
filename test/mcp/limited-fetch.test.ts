// Responses of remote tool servers, cut off and slowed down.
import { describe, expect, it } from 'vitest';
import { limitedFetch } from '../../src/mcp/connections/server-fetch.ts';

const EVENT = `data: ${'x'.repeat(500_000)}`;

/** Returns the length of the text that arrives from these pieces of a stream. */
async function taken(pieces: Iterable<string>, type = 'text/event-stream'): Promise<number> {
  const body = ReadableStream.from(Array.from(pieces, (it) => new TextEncoder().encode(it)));
  const fetched = limitedFetch(async () => new Response(body, { headers: { 'content-type': type } }));
  const response = await fetched('https://tools.example');
  return (await response.arrayBuffer()).byteLength;
}

describe('bodies of remote tool servers', () => {
  it.each([
    ['in separate pieces', ['\n', '\n']],
    ['as returns', ['\r\r']],
    ['as returns and newlines, cut apart', ['\r', '\n\r', '\n']],
  ])('[mcp.results.limits] a stream of small events has no end: ends of lines %s', async (_how, end) => {
    const pieces = Array.from({ length: 10 }, () => [EVENT, ...end]).flat();
    expect(await taken(pieces)).toBe(pieces.join('').length);
  });

  it.each(['text/event-stream', 'application/json'])(
    '[mcp.results.limits] an error names a message of more than 4 MB as the reason: %s',
    async (type) => {
      const pieces = Array.from({ length: 10 }, () => `${EVENT}\n`);
      await expect(taken(pieces, type)).rejects.toMatchObject({ name: 'ResponseTooLarge' });
    },
  );

  it('[mcp.results.limits] a flood of events is slowed down', async () => {
    const began = performance.now();
    await taken(Array.from({ length: 4 }, () => 'data:\n\n'.repeat(50)));
    // Three pauses of 50 ms. A timer may fire a little early.
    expect(performance.now() - began).toBeGreaterThan(140);
  });
});
