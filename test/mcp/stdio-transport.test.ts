// A program with too much output waits in its own pipe, and all others get their turns.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, it, vi } from 'vitest';
import { StdioTransport } from '../../src/mcp/connections/stdio-transport.ts';
import { MESSAGE_BYTES, TOO_LARGE_CODE } from '../../src/mcp/server-failure.ts';
import { type TalkListener, talkWithProcess } from '../../src/processes/talk-process.ts';

const LIMITS = { processes: 32, memoryBytes: 512 * 1_048_576 };

/** Returns the output of a program as the service reads it; the program only waits. */
async function listening() {
  const heard: JSONRPCMessage[] = [];
  const ends: string[] = [];
  const { promise: started, resolve } = Promise.withResolvers<TalkListener>();
  const transport = new StdioTransport({
    start: (listener) => {
      resolve(listener);
      return talkWithProcess({ program: 'cat', args: [], env: { PATH: '/usr/bin:/bin' } }, LIMITS, listener);
    },
    onEnd: (reason) => ends.push(reason),
  });
  transport.onmessage = (message) => heard.push(message);
  await transport.start();
  const { said } = await started;
  /**
   * Writes a text; returns whether it was read within some turns of the event loop, and a promise for its
   * end.
   */
  const say = async (text: string | Buffer) => {
    let isTaken = false;
    const done = said(Buffer.from(text)).then(() => {
      isTaken = true;
    });
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    return { isTaken, done };
  };
  return { heard, ends, say, close: () => transport.close() };
}

const note = (method: string) => `${JSON.stringify({ jsonrpc: '2.0', method })}\n`;
const answer = (id: number, result: string) => `{"jsonrpc":"2.0","result":${result},"id":${id}}\n`;

it('[mcp.processes.floods] empty lines have to wait as messages do', async () => {
  const { heard, say, close } = await listening();
  const flood = await say(Buffer.alloc(65_536, '\n'));
  expect(flood.isTaken).toBe(false);
  await close();
  await flood.done;
  expect(heard).toEqual([]);
});

it('[mcp.processes.floods] the remainder of a piece is read later, and in order', async () => {
  const { heard, say, close } = await listening();
  const methods = Array.from({ length: 500 }, (_, index) => `step/${index}`);
  // On a busy machine the first interval could end halfway, and a second one begin.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const flood = await say(methods.map(note).join(''));
  clock.mockRestore();
  expect(flood.isTaken).toBe(false);
  expect(heard.length).toBeLessThan(300);
  await flood.done;
  expect(heard).toMatchObject(methods.map((method) => ({ method })));
  await close();
});

it('[mcp.processes.floods] a program that sends only garbage is ended, and ignored from then on', async () => {
  const { heard, ends, say, close } = await listening();
  const flood = await say(`${'{}\n'.repeat(1_000)}${note('too/late')}`);
  await flood.done;
  expect(ends[0]).toBe('it says what are no messages of the protocol');
  expect(heard).toEqual([]);
  await close();
});

it('[mcp.processes.floods] a line without an end has to wait, too', async () => {
  const { say, close } = await listening();
  const line = Buffer.alloc(MESSAGE_BYTES, 'x');
  const since = performance.now();
  await (await say(line)).done;
  // An interval of 50 ms, of which a timer may leave out one.
  expect(performance.now() - since).toBeGreaterThan(48);
  await close();
});

it('[mcp.processes.floods] a long message is read in turns, before the one after it', async () => {
  const { heard, say, close } = await listening();
  const items = Array.from({ length: 30_000 }, (_, index) => ({ index }));
  const flood = await say(answer(1, JSON.stringify({ items })) + note('after'));
  await flood.done;
  expect(heard).toEqual([
    { jsonrpc: '2.0', id: 1, result: { items } },
    { jsonrpc: '2.0', method: 'after' },
  ]);
  await close();
});

it('[mcp.results.limits] a result with too many parts is refused', async () => {
  const { heard, say, close } = await listening();
  const flood = await say(answer(7, `{"items":[${'{},'.repeat(1_000_000)}{}]}`));
  await flood.done;
  expect(heard).toMatchObject([{ id: 7, error: { code: TOO_LARGE_CODE } }]);
  await close();
});

it('[mcp.processes.floods] a group that is made for a program which has already ended is removed', async () => {
  const ended = Promise.withResolvers<void>();
  const end = vi.fn();
  const group = { add: async () => {}, exceeded: async () => undefined, end };
  const open = () => ended.promise.then(() => group);
  talkWithProcess(
    { program: 'true', args: [], env: { PATH: '/usr/bin:/bin' }, groups: { kind: 'usable', open } },
    LIMITS,
    { said: async () => {}, ended: () => ended.resolve() },
  );
  await vi.waitFor(() => expect(end).toHaveBeenCalledOnce());
});
