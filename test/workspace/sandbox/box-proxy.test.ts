// The limits of the proxy of one command, without a box around it: connections, rate and times.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { BoxProxy } from '../../../src/workspace/sandbox/network/box-proxy.ts';

type ProxyTimes = ConstructorParameters<typeof BoxProxy>[0]['times'];

const LONG = 60_000;
const TIMES = { head: LONG, connect: LONG, idle: LONG, pace: 0 };

/** Opens a proxy to one server, which sends `open` to every connection by default. */
async function openProxy({
  times = TIMES,
  greet = (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nopen'),
}: {
  readonly times?: ProxyTimes;
  readonly greet?: (socket: Socket) => void;
} = {}) {
  const web = createServer((socket) => {
    socket.on('error', () => socket.destroy()).once('data', () => greet(socket));
  }).listen(0, '127.0.0.1');
  const listening = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(listening, 'listening')]);
  const { port: webPort } = web.address() as AddressInfo;
  const { port } = listening.address() as AddressInfo;
  const asked: number[] = [];
  const proxy = new BoxProxy({
    bytes: 1_048_576,
    ...(times === undefined ? {} : { times }),
    rules: {
      ports: new Set([webPort]),
      async resolve() {
        asked.push(performance.now());
        return [{ address: '127.0.0.1', family: 4 }];
      },
      mayReach: () => true,
    },
  });
  proxy.listen(listening);
  onTestFinished(() => {
    proxy.close();
    web.close();
  });
  const dial = (): Socket => connect(port, '127.0.0.1').on('error', () => {});
  const GET = `GET http://web.example:${webPort}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
  const CONNECT = `CONNECT web.example:${webPort} HTTP/1.1\r\nHost: x\r\n\r\n`;
  /** Returns everything received for a request until the connection ends or breaks. */
  const answer = async (request: string): Promise<string> => {
    const socket = dial();
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.write(request);
    await new Promise((resolve) => socket.once('close', resolve));
    return Buffer.concat(pieces).toString();
  };
  return { dial, asked, answer, GET, CONNECT };
}

it('[sandbox.network.limits] a command has at most 64 connections, and another one when one has ended', async () => {
  const { dial, answer, GET } = await openProxy();
  const held = Array.from({ length: 64 }, dial);
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  expect(await answer(GET)).toBe('');
  held[0]?.destroy();
  await expect.poll(() => answer(GET)).toContain('open');
  for (const socket of held) socket.destroy();
});

it('[sandbox.network.limits] concurrent requests are served one after the other', async () => {
  const { asked, answer, GET } = await openProxy({ times: { ...TIMES, pace: 5 } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => answer(GET)));
  expect(answers.filter((it) => it.endsWith('open'))).toHaveLength(20);
  const [first = 0] = asked;
  // Timers of Node have whole milliseconds.
  expect((asked.at(-1) ?? 0) - first).toBeGreaterThan(19 * 5 - 2);
});

it('[sandbox.network.limits] a client that sends no complete request, or falls silent, is cut off', async () => {
  const slow = await openProxy({ times: { ...TIMES, head: 50 } });
  expect(await slow.answer('GET http://web.ex')).toBe('');
  const silent = await openProxy({ times: { ...TIMES, idle: 50 }, greet: () => {} });
  expect(await silent.answer('')).toBe('');
  expect(await silent.answer(silent.GET)).not.toContain('200');
  expect(await silent.answer(`${silent.CONNECT}hello`)).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
});

it('[sandbox.network.limits] each connection has one request', async () => {
  const { answer, GET } = await openProxy();
  expect((await answer(GET + GET)).match(/200 OK/g)).toHaveLength(1);
});
