// API keys and sessions during long requests: streams, sockets, and the official client.
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claimRuns } from '../storage/samples.ts';
import { makeKey, revoke, withKey } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { halfAnAnswer } from '../support/model-server/half-an-answer.ts';
import { newThread, question, streamed, TEST_PASSWORD } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { connect, type SocketFrame } from '../websocket/socket-client.ts';

const PATIENCE = { timeout: 120_000 };

let service: ServedService;
let ann: HttpClient;
beforeAll(async () => {
  service = await openServedService();
  ann = await service.user('ann');
});
afterEach(() => service.model.reset());
afterAll(() => service.close());

const program = (key: string) => withKey(service.service.app, key);
const bearer = (key: string) => ({ origin: null, options: { headers: { authorization: `Bearer ${key}` } } });
const runSocket = (threadId: string) => `${service.server.url}/api/graph/threads/${threadId}/runs/stream`;
const eventSocket = (threadId: string) => `${service.server.url}/api/graph/threads/${threadId}/stream/events`;

/** Starts a run with a key, and pauses it in the middle of its reply. */
async function startHalf(key: string) {
  halfAnAnswer(service.model);
  const client = program(key);
  const threadId = await newThread(client);
  const run = await jsonOf<RunJson>(client.post(`/api/graph/threads/${threadId}/runs`, question('hi')));
  const path = `/api/graph/threads/${threadId}/runs/${run.run_id}`;
  return { client, threadId, runId: run.run_id, path };
}

describe('a session', () => {
  it(
    '[auth.session.streams] [hostile.S24] that is signed out ends its open streams, and the run continues',
    PATIENCE,
    async () => {
      const { threadId, runId, path } = await startHalf((await makeKey(ann)).key);
      const phone = service.client();
      await phone.signIn({ email: 'ann@example.com', password: TEST_PASSWORD });
      const cookie = [...phone.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const readers = [
        await phone.get(`${path}/stream`),
        await phone.get(`${path}/join`),
        await phone.post(`/api/graph/threads/${threadId}/stream/events`, { channels: ['messages'] }),
      ];
      const { origin } = new URL(service.server.url);
      const socket = await connect({ url: runSocket(threadId), origin, options: { headers: { cookie } } });
      socket.send({ join: runId, csrf_token: phone.cookies.get('csrf_token') });
      await socket.until<SocketFrame>(({ event }) => event === 'metadata');
      const endings = readers.map((it) => it.text().catch(() => 'cut off'));
      expect((await phone.post('/api/v1/auth/logout')).status).toBe(200);
      for (const text of await Promise.all(endings)) expect(text).not.toContain('event: end');
      expect(await socket.closed).toEqual({ code: 1008, reason: 'The session has ended.' });
      expect(await jsonOf(ann.get(path))).toMatchObject({ status: 'running' });
      await ann.post(`${path}/cancel?wait=1`);
    },
  );
});

describe('an API key', () => {
  it('[auth.keys.socket] opens sockets without an origin and without a CSRF token', async () => {
    const { key } = await makeKey(ann);
    const threadId = await newThread(program(key));
    const socket = await connect({ url: runSocket(threadId), ...bearer(key) });
    socket.send(question('hello'));
    await socket.until<SocketFrame>(({ event }) => event === 'end');
    expect(await socket.closed).toMatchObject({ code: 1000 });
    const events = await connect({ url: eventSocket(threadId), ...bearer(key) });
    events.send({ id: 1, method: 'state.get', params: {} });
    expect(await events.until<{ id: number }>(({ id }) => id === 1)).toMatchObject({ type: 'success' });
    events.socket.close();
  });

  it(
    '[auth.keys.socket] that is read-only joins over a socket, and starts and cancels nothing',
    PATIENCE,
    async () => {
      const { threadId, runId, path } = await startHalf((await makeKey(ann)).key);
      const { key } = await makeKey(ann, { scopes: ['read'] });
      const starting = await connect({ url: runSocket(threadId), ...bearer(key) });
      starting.send(question('hello'));
      expect(await starting.closed).toMatchObject({
        code: 1008,
        reason: expect.stringContaining('may only read'),
      });
      const joining = await connect({ url: runSocket(threadId), ...bearer(key) });
      joining.send({ join: runId });
      await joining.until<SocketFrame>(({ event }) => event === 'metadata');
      joining.send({ cancel: 'interrupt' });
      expect(await joining.closed).toMatchObject({
        code: 1008,
        reason: expect.stringContaining('may only read'),
      });
      const events = await connect({ url: eventSocket(threadId), ...bearer(key) });
      events.send({ id: 1, method: 'run.start', params: { assistant_id: 'lead_agent' } });
      const refused = await events.until<{ id: number }>(({ id }) => id === 1);
      expect(refused).toMatchObject({ type: 'error', error: 'permission_denied' });
      events.socket.close();
      expect(await jsonOf(ann.get(path))).toMatchObject({ status: 'running' });
      await ann.post(`${path}/cancel?wait=1`);
    },
  );

  it('[auth.keys.read] that is read-only ends no run by disconnecting, and starts none by a command', async () => {
    const { threadId, path } = await startHalf((await makeKey(ann)).key);
    const reader = program((await makeKey(ann, { scopes: ['read'] })).key);
    for (const kind of ['stream', 'join'])
      expect((await reader.get(`${path}/${kind}?cancel_on_disconnect=1`)).status).toBe(403);
    const reading = await reader.get(`${path}/stream?cancel_on_disconnect=0`);
    expect(reading.status).toBe(200);
    await reading.body?.cancel();
    const command = (method: string) =>
      reader.post(`/api/graph/threads/${threadId}/commands`, { id: 1, method, params: {} });
    expect((await command('state.get')).status).toBe(200);
    for (const method of ['run.start', 'input.respond']) expect((await command(method)).status).toBe(403);
    expect(await jsonOf(ann.get(path))).toMatchObject({ status: 'running' });
    await ann.post(`${path}/cancel?wait=1`);
  });

  it(
    '[auth.keys.revoked-streams] [hostile.S29] ends its open streams when it is revoked, and the run continues',
    PATIENCE,
    async () => {
      const made = await makeKey(ann);
      const { client, threadId, runId, path } = await startHalf(made.key);
      const readers = [
        await client.get(`${path}/stream`),
        await client.get(`${path}/join`),
        await client.post(`/api/graph/threads/${threadId}/stream/events`, { channels: ['messages'] }),
      ];
      const socket = await connect({ url: runSocket(threadId), ...bearer(made.key) });
      socket.send({ join: runId });
      await socket.until<SocketFrame>(({ event }) => event === 'metadata');
      const other = await ann.get(`${path}/stream`);
      const endings = readers.map((it) => it.text().catch(() => 'cut off'));
      await revoke(ann, made);
      for (const text of await Promise.all(endings)) expect(text).not.toContain('event: end');
      expect(await socket.closed).toEqual({ code: 1008, reason: 'The session has ended.' });
      expect(await jsonOf(ann.get(path))).toMatchObject({ status: 'running' });
      await ann.post(`${path}/cancel?wait=1`);
      expect(await other.text()).toContain('event: end');
    },
  );

  it('[auth.keys.revoked-wait] ends waiting for a cancelled run, too', PATIENCE, async () => {
    const made = await makeKey(ann);
    const { client, path } = await startHalf(made.key);
    const { storage } = service.service;
    const { runLeases, workers } = storage;
    // Another process executes the run and does not hear of the cancellation.
    const taken = async () => {
      await workers.fenceOthers('another process');
      return (await claimRuns(storage, { workerId: 'another process' })).length;
    };
    await expect.poll(taken).toBe(1);
    const waiting = client.post(`${path}/cancel?wait=1`);
    await expect.poll(() => runLeases.cancelRequests('another process')).toHaveLength(1);
    await revoke(ann, made);
    expect((await waiting).status).toBe(401);
  });

  it('[auth.keys.sdk] works with the official client, as header and as its apiKey', async () => {
    const { key } = await makeKey(ann);
    const apiUrl = `${service.server.url}/api/graph`;
    for (const client of [
      new Client({ apiUrl, apiKey: null, defaultHeaders: { Authorization: `Bearer ${key}` } }),
      new Client({ apiUrl, apiKey: key }),
    ]) {
      const { thread_id: threadId } = await client.threads.create();
      const events: string[] = [];
      const input = { messages: [{ role: 'user', content: 'hello' }] };
      for await (const { event } of client.runs.stream(threadId, 'lead_agent', { input })) events.push(event);
      expect(events).toContain('values');
      expect((await client.threads.search({ ids: [threadId] })).map((it) => it.thread_id)).toEqual([
        threadId,
      ]);
      await client.threads.delete(threadId);
    }
    const stranger = new Client({
      apiUrl,
      apiKey: `ags_${'A'.repeat(48)}`,
      callerOptions: { maxRetries: 0 },
    });
    await expect(stranger.threads.search()).rejects.toMatchObject({ status: 401 });
  });

  it('[auth.keys.streams] reads the stream of a run', async () => {
    const client = program((await makeKey(ann)).key);
    const frames = await streamed(client, await newThread(client), question('hello'));
    expect(frames.at(-1)?.event).toBe('end');
  });
});
