// A run over a WebSocket: what is asked first, what comes back, and how it is closed.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { halfAnAnswer } from '../support/model-server/half-an-answer.ts';
import { ownTime } from '../support/own-time.ts';
import { newThread, question, streamed } from '../support/service.ts';
import { allFrames } from '../support/sse.ts';
import { openServedService, type ServedService } from './served.ts';
import { connect, type SocketClient, type SocketFrame } from './socket-client.ts';

let service: ServedService;
let ann: HttpClient;
let threadId: string;
const open: SocketClient[] = [];

beforeAll(async () => {
  service = await openServedService({
    config: { server: { max_json_bytes: 65_536 } },
  });
  ann = await service.user('ann');
});
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.terminate();
  service.model.reset();
});
afterAll(() => service.close());

const address = (thread: string) => `${service.server.url}/api/graph/threads/${thread}/runs/stream`;
const csrf = (client: HttpClient) => client.cookies.get('csrf_token') ?? '';

async function connected(client = ann): Promise<SocketClient> {
  threadId = await newThread(client);
  return connectedTo(threadId, client);
}

async function connectedTo(thread: string, client = ann): Promise<SocketClient> {
  const made = await connect({ url: address(thread), client });
  open.push(made);
  return made;
}

const request = (content: string, fields: Record<string, unknown> = {}) => ({
  ...question(content, fields),
  csrf_token: csrf(ann),
});
const frames = (client: SocketClient) => client.received as readonly SocketFrame[];
const isMessage = ({ event }: SocketFrame) => event === 'messages';

async function runOf(client: SocketClient): Promise<string> {
  const metadata = await client.until<SocketFrame>(({ event }) => event === 'metadata');
  return (metadata.data as { run_id: string }).run_id;
}

async function statusOf(runId: string): Promise<RunJson> {
  return jsonOf<RunJson>(ann.get(`/api/graph/threads/${threadId}/runs/${runId}`));
}

describe('a run', () => {
  it('[websocket.run] is asked for with the first frame and answered frame by frame to its end', async () => {
    service.model.enqueue(answer.text('hello you'));
    const client = await connected();
    client.send(request('hi', { stream_mode: ['values', 'messages-tuple'] }));
    expect((await client.closed).code).toBe(1000);
    const id = expect.stringMatching(/^1-0-[0-9a-f]{8}$/);
    expect(frames(client)[0]).toMatchObject({ event: 'metadata', id, data: { thread_id: threadId } });
    expect(frames(client).at(-1)).toMatchObject({ event: 'end', data: {} });
    const values = frames(client).filter(({ event }) => event === 'values');
    expect(values.at(-1)?.data).toMatchObject({
      messages: [{ content: 'hi' }, { content: 'hello you', role: 'assistant' }],
    });
  });

  it('[websocket.run] has the frames that the same run has as Server-Sent Events', async () => {
    service.model.enqueue(answer.text('hello you'));
    const client = await connected();
    client.send(request('hi', { stream_mode: ['values', 'updates', 'messages-tuple'] }));
    await client.closed;
    const runId = await runOf(client);
    const response = await ann.get(`/api/graph/threads/${threadId}/runs/${runId}/stream`);
    expect(client.received).toEqual(await allFrames(response));
  });

  it('[websocket.run] sends long messages whole', async () => {
    const long = 'größer 😀 '.repeat(10_000);
    service.model.enqueue(answer.text([long]));
    const client = await connected();
    client.send(request('hi', { stream_mode: ['values', 'updates'] }));
    expect((await client.closed).code).toBe(1000);
    const [values] = frames(client)
      .filter(({ event }) => event === 'values')
      .slice(-1);
    expect(values?.data).toMatchObject({ messages: [{ content: 'hi' }, { content: long }] });
    const response = await ann.get(`/api/graph/threads/${threadId}/runs/${await runOf(client)}/stream`);
    expect(client.received).toEqual(await allFrames(response));
  });

  it('[websocket.join] is joined after the last frame that was seen, without loss or doubles', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const first = await connected();
    first.send(request('hi', { stream_mode: ['messages-tuple'] }));
    const runId = await runOf(first);
    await first.until<SocketFrame>(isMessage);
    const seen = [...frames(first)];
    first.socket.terminate();
    await first.closed;

    const second = await connectedTo(threadId);
    second.send({ join: runId, last_event_id: seen.at(-1)?.id, csrf_token: csrf(ann) });
    await service.model.requested(1);
    goOn();
    expect((await second.closed).code).toBe(1000);
    const response = await ann.get(`/api/graph/threads/${threadId}/runs/${runId}/stream`);
    expect([...seen, ...frames(second)]).toEqual(await allFrames(response));
  });

  it('[websocket.join] of a run that is not there is refused', async () => {
    const client = await connected();
    client.send({ join: 'absent', csrf_token: csrf(ann) });
    expect(await client.closed).toEqual({ code: 1008, reason: 'Run not found' });
  });

  it('[websocket.cancel] is cancelled by a frame and still shown to its end', async () => {
    halfAnAnswer(service.model);
    const client = await connected();
    client.send(request('hi', { stream_mode: ['values', 'messages-tuple'] }));
    await client.until<SocketFrame>(isMessage);
    client.send({ cancel: 'interrupt' });
    expect((await client.closed).code).toBe(1000);
    expect(frames(client).at(-1)?.event).toBe('end');
    expect(await statusOf(await runOf(client))).toMatchObject({
      status: 'interrupted',
      stop_reason: 'interrupted_by_user',
    });
  });

  it('[websocket.cancel] may be cancelled before it has begun', async () => {
    halfAnAnswer(service.model);
    const client = await connected();
    client.send(request('hi'));
    client.send({ cancel: 'interrupt' });
    expect((await client.closed).code).toBe(1000);
    expect(frames(client).at(-1)?.event).toBe('end');
    const { runs } = await jsonOf<{ runs: RunJson[] }>(ann.get(`/api/graph/threads/${threadId}/runs`));
    expect(runs).toMatchObject([{ status: 'interrupted' }]);
  });

  it('[websocket.leave] continues when its client disconnects, and ends if that was requested', async () => {
    for (const [onDisconnect, status] of [
      ['continue', 'success'],
      ['cancel', 'interrupted'],
    ] as const) {
      const { goOn } = halfAnAnswer(service.model);
      const client = await connected();
      client.send(request('hi', { on_disconnect: onDisconnect, stream_mode: ['messages-tuple'] }));
      const runId = await runOf(client);
      await client.until<SocketFrame>(isMessage);
      client.socket.close();
      await client.closed;
      if (onDisconnect === 'continue') goOn();
      await ann.get(`/api/graph/threads/${threadId}/runs/${runId}/join`).then((it) => it.text());
      expect((await statusOf(runId)).status).toBe(status);
      goOn();
    }
  });

  it('[websocket.run] of a failing model ends with error and end', async () => {
    service.model.onRequest(() => answer.unauthorized());
    const client = await connected();
    client.send(request('hi'));
    expect((await client.closed).code).toBe(1000);
    expect(
      frames(client)
        .slice(-2)
        .map(({ event }) => event),
    ).toEqual(['error', 'end']);
  });
});

describe('a refusal', () => {
  it('[websocket.csrf] meets a first frame without the CSRF token, or with another one', async () => {
    for (const [token, reason] of [
      [undefined, 'CSRF token missing'],
      ['', 'CSRF token missing'],
      [7, 'CSRF token missing'],
      ['x'.repeat(43), 'CSRF token mismatch'],
    ] as const) {
      const client = await connected();
      client.send({ ...question('hi'), csrf_token: token });
      expect(await client.closed).toEqual({ code: 1008, reason });
      expect(client.received).toMatchObject([
        { event: 'error', data: { error: 'forbidden', message: reason } },
      ]);
    }
    const runs = await jsonOf<{ runs: unknown[] }>(ann.get(`/api/graph/threads/${threadId}/runs`));
    expect(runs.runs).toEqual([]);
  });

  it.each([
    ['text that is no JSON', 'hello'],
    ['a list', '[]'],
    ['deep nesting', `${'['.repeat(10_000)}`],
    ['half a surrogate pair', '{"csrf_token":"\\ud800"}'],
  ])('[websocket.invalid] meets %s', async (_name, text) => {
    const client = await connected();
    client.send(text);
    expect((await client.closed).code).toBe(1008);
  });

  it('[websocket.invalid] names the field of a run request that is wrong, and no run is made', async () => {
    const client = await connected();
    client.send(request('hi', { stream_mode: ['tools'] }));
    const end = await client.closed;
    expect([end.code, end.reason]).toEqual([1008, expect.stringContaining('stream_mode')]);
    const runs = await jsonOf<{ runs: unknown[] }>(ann.get(`/api/graph/threads/${threadId}/runs`));
    expect(runs.runs).toEqual([]);
  });

  it('[websocket.invalid] meets any later frame that is no cancellation, and binary ones', async () => {
    halfAnAnswer(service.model);
    const client = await connected();
    client.send(request('hi'));
    await runOf(client);
    client.send({ cancel: 'everything' });
    expect((await client.closed).code).toBe(1008);

    const binary = await connected();
    binary.socket.send(Buffer.from('{}'), { binary: true });
    expect((await binary.closed).code).toBe(1008);
  });

  it('[hostile.S19] [websocket.limits] meets a frame larger than a JSON body may be', async () => {
    const client = await connected();
    client.send(request('x'.repeat(70_000)));
    expect((await client.closed).code).toBe(1009);
  });

  it('[hostile.S19] [websocket.limits] meets a message in too many pieces', async () => {
    const client = await connected();
    client.socket.on('error', () => undefined);
    for (let count = 0; count < 17_000; count += 1) client.socket.send('x', { fin: false });
    expect((await client.closed).code).toBe(1008);
  });

  it('[hostile.S19] [websocket.limits] meets too many frames, and too many pings', async () => {
    halfAnAnswer(service.model);
    const client = await connected();
    client.send(request('hi'));
    for (let count = 0; count < 100; count += 1) client.send({ cancel: 'interrupt' });
    expect(await client.closed).toEqual({ code: 1008, reason: 'Too many messages.' });

    const pinging = await connected();
    for (let count = 0; count < 100; count += 1) pinging.socket.ping();
    expect((await pinging.closed).code).toBe(1008);
  });

  it('[websocket.invalid] refuses a run on a busy thread with the same text as HTTP', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const first = await connected();
    first.send(request('hi'));
    await runOf(first);
    const second = await connectedTo(threadId);
    second.send(request('and?', { multitask_strategy: 'reject' }));
    const http = await ann.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('and?', { multitask_strategy: 'reject' }),
    );
    const { detail } = await jsonOf<{ detail: string }>(http);
    expect(await second.closed).toEqual({ code: 1008, reason: detail });
    goOn();
    await first.closed;
  });
});

describe('a socket that lasts', () => {
  it('[websocket.revoked] is closed when its session ends', async () => {
    halfAnAnswer(service.model);
    const cleo = await service.user('cleo');
    const client = await connected(cleo);
    client.send({ ...question('hi'), csrf_token: csrf(cleo) });
    // Otherwise its run would take the answer of the next test.
    await service.model.requested(1);
    const took = ownTime();
    const changed = await cleo.post('/api/v1/auth/change-password', {
      current_password: 'correct horse battery',
      new_password: 'another horse battery',
    });
    expect(changed.status).toBe(200);
    expect(await client.closed).toEqual({ code: 1008, reason: 'The session has ended.' });
    expect(took()).toBeLessThan(5_000);
  });

  it('[websocket.ping] is pinged in its silence', async () => {
    halfAnAnswer(service.model);
    const client = await connected();
    client.send(request('hi'));
    const took = ownTime();
    await new Promise((resolve) => client.socket.once('ping', resolve));
    expect(took()).toBeLessThan(7_000);
  });

  it('[websocket.run] tells its client when the service stops', async () => {
    const other = await openServedService();
    const dan = await other.user('dan');
    const thread = await newThread(dan);
    const url = `${other.server.url}/api/graph/threads/${thread}/runs/stream`;
    const client = await connect({ url, client: dan });
    await other.close();
    expect((await client.closed).code).toBe(1001);
  });
});

it('leaves no complaint in the log', async () => {
  expect(await streamed(ann, await newThread(ann), question('hi'))).not.toEqual([]);
  expect(service.complaints.filter(({ message }) => message.includes('socket'))).toEqual([]);
});
