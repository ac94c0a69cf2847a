// Who may open a WebSocket, and what the others are told.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { newThread } from '../support/service.ts';
import { openServedService, type ServedService } from './served.ts';
import { connect, refusedConnect, type SocketClient, socketOf } from './socket-client.ts';

let service: ServedService;
let ann: HttpClient;
const open: SocketClient[] = [];

beforeAll(async () => {
  service = await openServedService({ config: { server: { cors_origins: ['https://chat.example.com'] } } });
  ann = await service.user('ann');
});
afterAll(async () => {
  for (const { socket } of open) socket.terminate();
  await service.close();
});

const address = (thread: string) => `${service.server.url}/api/graph/threads/${thread}/runs/stream`;

describe('the handshake', () => {
  it('[websocket.session] needs a session', async () => {
    const { status, body } = await refusedConnect({ url: address('any') });
    expect([status, JSON.parse(body).detail.code]).toEqual([401, 'not_authenticated']);
  });

  it.each([
    ['no origin', null],
    ['another site', 'https://evil.example.com'],
    ['null', 'null'],
    ['a name that begins alike', 'http://127.0.0.1.evil.com'],
    ['a configured host with another scheme', 'http://chat.example.com'],
    ['a configured host with another port', 'https://chat.example.com:8443'],
  ])('[hostile.S19] [websocket.origin] refuses %s', async (_name, origin) => {
    const thread = await newThread(ann);
    const refused = await refusedConnect({ url: address(thread), client: ann, origin });
    expect(refused.status).toBe(403);
  });

  it('[websocket.origin] takes its own pages and the configured origins', async () => {
    const thread = await newThread(ann);
    for (const origin of [service.server.url, 'https://chat.example.com']) {
      open.push(await connect({ url: address(thread), client: ann, origin }));
    }
  });

  it('[hostile.S19] repeats no protocol that is asked for, whatever is in its name', async () => {
    const headers = { 'sec-websocket-protocol': 'bearer.CANARY-1, access_token' };
    const socket = socketOf({ url: address(await newThread(ann)), client: ann, options: { headers } });
    const [response] = await once(socket, 'upgrade');
    expect(JSON.stringify(response.rawHeaders)).not.toMatch(/protocol|CANARY/i);
    socket.on('error', () => undefined);
    socket.terminate();
  });

  it("[websocket.owner] answers another user's thread like an absent one, in the words of HTTP", async () => {
    const bob = await service.user('bob');
    const bobs = await newThread(bob);
    const foreign = await refusedConnect({ url: address(bobs), client: ann });
    const absent = await refusedConnect({ url: address('absent'), client: ann });
    const http = await ann.get(`/api/graph/threads/${bobs}`);
    expect([foreign.status, foreign.body]).toEqual([404, await http.text()]);
    expect(foreign).toEqual(absent);
  });

  it('answers a request without an upgrade, and an upgrade of something else, with a sentence', async () => {
    const thread = await newThread(ann);
    expect((await ann.get(`/api/graph/threads/${thread}/runs/stream`)).status).toBe(400);
    const other = await refusedConnect({
      url: `${service.server.url}/api/graph/threads/${thread}`,
      client: ann,
    });
    expect([other.status, other.body]).toEqual([400, expect.stringContaining('WebSocket')]);
  });
});
