// What holds for every socket: heartbeat, slow readers, silence, sessions.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createSessionEnds } from '../../src/auth/sessions.ts';
import { ServiceError } from '../../src/errors.ts';
import { createOpenStreams } from '../../src/http/streams/open-streams.ts';
import { createSessionWatch } from '../../src/http/streams/session-watch.ts';
import { type LiveSocket, openLiveSocket, type SocketTimings } from '../../src/http/websocket/live-socket.ts';

let server: WebSocketServer;
let isOver: boolean;
beforeEach(async () => {
  isOver = false;
  server = new WebSocketServer({ port: 0 });
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

const sessionWatch = createSessionWatch({
  intervalMs: 10,
  sessionEnds: createSessionEnds(),
  credentials: {
    async ended(credentials) {
      if (isOver) return credentials;
      throw new ServiceError('unavailable', 'The database does not answer.');
    },
  },
});

const openStreams = createOpenStreams({ maxPerUser: 2, sessionWatch });

interface Pair {
  readonly client: WebSocket;
  readonly socket: WebSocket;
  readonly live: LiveSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

async function pair(
  timings: Partial<SocketTimings> = {},
  { now = Date.now, ...options }: { readonly now?: () => number; readonly autoPong?: boolean } = {},
): Promise<Pair> {
  const connected = once(server, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
  const closed = once(client, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  const [socket] = (await connected) as [WebSocket];
  const live = openLiveSocket(socket, {
    openStreams,
    follower: {
      user: { id: 'ann' },
      credential: {
        kind: 'session',
        token: 'x',
        userId: 'ann',
        sessionId: 's',
        csrfToken: 'c',
        confirmedAt: 0,
      },
    },
    timings,
    now,
    onMessage: () => undefined,
  });
  if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
  return { client, socket, live, closed };
}

it('[websocket.silence] drops a client that does not respond to pings', async () => {
  const { live, closed } = await pair({ pingMs: 10, silenceMs: 50 }, { autoPong: false });
  expect((await closed).code).toBe(1006);
  if (!live.closed.aborted) await once(live.closed, 'abort');
});

it('[websocket.ping] keeps a client that responds to them', async () => {
  const clock = { now: 0 };
  const { socket, live } = await pair({ pingMs: 5, silenceMs: 50 }, { now: () => clock.now });
  for (let count = 0; count < 30; count += 1) {
    await once(socket, 'pong');
    clock.now += 40;
  }
  expect(live.closed.aborted).toBe(false);
});

it('[websocket.slow] holds 64 KB for a slow reader and continues when it reads', async () => {
  const { client, socket, live } = await pair();
  client.pause();
  const text = 'x'.repeat(16_384);
  let wait: Promise<void> | undefined;
  let sent = 0;
  let received = 0;
  client.on('message', () => {
    received += 1;
  });
  for (; wait === undefined; sent += 1) {
    // The system holds some megabytes more, and takes them only when the event loop turns.
    await new Promise((resolve) => setImmediate(resolve));
    wait = live.send(text);
  }
  expect(socket.bufferedAmount).toBeLessThan(65_536 + 2 * text.length);
  client.resume();
  await wait;
  while (received < sent) await once(client, 'message');
  expect(socket.bufferedAmount).toBe(0);
});

it('[websocket.slow] does not wait for a reader that is gone', async () => {
  const { client, live } = await pair();
  client.pause();
  let wait: Promise<void> | undefined;
  while (wait === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    wait = live.send('x'.repeat(65_536));
  }
  live.close(1008, 'Enough.');
  await wait;
  expect(live.send('more')).toBeUndefined();
});

it('[websocket.limits] closes a socket on which nothing is asked', async () => {
  const { closed } = await pair({ firstMessageMs: 10 });
  expect(await closed).toEqual({ code: 1008, reason: 'No request came.' });
});

it('[auth.session.streams] a session that ends in this process ends its streams immediately, and nothing else', async () => {
  const ends = createSessionEnds();
  const watch = createSessionWatch({
    intervalMs: 3_600_000,
    sessionEnds: ends,
    credentials: { ended: async (credentials) => credentials },
  });
  const credential = { kind: 'session', sessionId: 's', csrfToken: 'c', confirmedAt: 0 } as const;
  const ended: string[] = [];
  const follow = (userId: string) =>
    watch.watch({ ...credential, userId, token: userId }, () => ended.push(userId));
  const stops = [follow('ann'), follow('ann'), follow('bob')];
  ends.announce('ann');
  await vi.waitFor(() => expect(ended).toEqual(['ann', 'ann']));
  for (const stop of stops) stop();
});

it('[websocket.revoked] ends with its session, but not because the database does not respond', async () => {
  const { client, live, closed } = await pair({ pingMs: 10 });
  for (let count = 0; count < 5; count += 1) await once(client, 'ping');
  expect(live.closed.aborted).toBe(false);
  isOver = true;
  expect(await closed).toEqual({ code: 1008, reason: 'The session has ended.' });
});

it('[websocket.limits] gives way to newer streams of its user when there are too many', async () => {
  const [oldest, middle] = [await pair(), await pair()];
  await pair();
  expect(await oldest.closed).toEqual({ code: 1008, reason: 'Too many streams are open.' });
  expect(middle.live.closed.aborted).toBe(false);
});

it('cuts a long reason between characters', async () => {
  const { live, closed } = await pair();
  live.close(1008, 'ä'.repeat(200));
  expect((await closed).reason).toBe('ä'.repeat(60));
});
