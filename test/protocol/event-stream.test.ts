// The events of a thread as Server-Sent Events: what is shown to whom, from where on, and for how long.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { ownTime } from '../support/own-time.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { framesOf, type TestFrame } from '../support/sse.ts';
import { isTerminal, type ProtocolEventJson } from './events-of.ts';

let service: TestService;
let ann: HttpClient;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
});
afterEach(() => service.model.reset());
afterAll(() => service.close());

const ALL = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
];

const events = (threadId: string, body: object, client = ann) =>
  client.post(`/api/graph/threads/${threadId}/stream/events`, body);

const eventOf = ({ data }: TestFrame) => data as ProtocolEventJson;

/** The events until the run that goes on has ended. */
async function toTheEnd(response: Response): Promise<TestFrame[]> {
  const frames: TestFrame[] = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (isTerminal(eventOf(frame))) break;
  }
  return frames;
}

async function run(threadId: string, content: string): Promise<void> {
  service.model.enqueue(answer.text(`answer to ${content}`));
  await (await ann.post(`/api/graph/threads/${threadId}/runs/wait`, question(content))).text();
}

describe('the stream', () => {
  it('[protocol.stream] has the id, the method and the event of each, and the same ones every time', async () => {
    const threadId = await newThread(ann);
    await run(threadId, 'one');
    const first = await toTheEnd(await events(threadId, { channels: ALL }));
    for (const frame of first) {
      const event = eventOf(frame);
      expect([frame.id, frame.event]).toEqual([event.event_id, event.method]);
    }
    expect(await toTheEnd(await events(threadId, { channels: ALL }))).toEqual(first);
    expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
    expect(first.map((frame) => eventOf(frame).params.namespace)).toEqual(first.map(() => []));
  });

  it('[protocol.stream] shows the latest run and then every one that follows, for as long as one stays', async () => {
    const threadId = await newThread(ann);
    await run(threadId, 'one');
    await run(threadId, 'two');
    const frames = framesOf(await events(threadId, { channels: ['lifecycle', 'values'] }));
    const seen: ProtocolEventJson[] = [];
    for await (const frame of frames) {
      seen.push(eventOf(frame));
      const ends = seen.filter(isTerminal).length;
      if (isTerminal(eventOf(frame)) && ends === 1) await run(threadId, 'three');
      if (ends === 2) break;
    }
    const running = seen.filter(({ params }) => params.data.event === 'running');
    expect(running).toHaveLength(2);
    const last = seen.findLast(({ method }) => method === 'values')?.params.data as { messages: unknown[] };
    expect(last.messages).toHaveLength(6);
  });

  it('[protocol.filter] [protocol.since] shows only what is asked for', async () => {
    const threadId = await newThread(ann);
    await run(threadId, 'one');
    const all = (await toTheEnd(await events(threadId, { channels: ALL }))).map(eventOf);
    const some = await toTheEnd(await events(threadId, { channels: ['values', 'lifecycle'] }));
    expect(some.map(eventOf)).toEqual(all.filter(({ method }) => ['values', 'lifecycle'].includes(method)));
    const since = all[4]?.seq;
    const rest = await toTheEnd(await events(threadId, { channels: ALL, since }));
    expect(rest.map(eventOf)).toEqual(all.slice(5));
  });

  it('[protocol.since.unknown] says so when no event has the number, and shows the run from its start', async () => {
    const threadId = await newThread(ann);
    await run(threadId, 'one');
    await run(threadId, 'two');
    const all = (await toTheEnd(await events(threadId, { channels: ALL }))).map(eventOf);
    const [first, last] = [all[0]?.seq ?? 0, all.at(-1)?.seq ?? 0];
    // Between its beginning and its first event, behind its last one, and far behind.
    for (const since of [first - 1, last + 1, last + 1_000_000_000]) {
      const shown = (await toTheEnd(await events(threadId, { channels: ['lifecycle'], since }))).map(eventOf);
      expect(shown[0]).toMatchObject({ method: 'custom', params: { data: { name: 'stream_replaced' } } });
      expect(shown.slice(1)).toEqual(all.filter(({ method }) => method === 'lifecycle'));
      expect(Number(shown[0]?.seq)).toBeLessThan(first);
    }
    // Of a run before the one that is told.
    const before = (await toTheEnd(await events(threadId, { channels: ALL, since: 1 }))).map(eventOf);
    expect(before).toEqual(all);
    // All of it was seen: what comes next is shown.
    const next = toTheEnd(await events(threadId, { channels: ALL, since: last }));
    await run(threadId, 'three');
    const seqs = (await next).map((frame) => eventOf(frame).seq);
    expect(seqs[0]).toBeGreaterThan(last);
  });

  it('[protocol.stream] opens immediately on a thread that has no run', async () => {
    const threadId = await newThread(ann);
    const response = await events(threadId, { channels: ['lifecycle'] });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const seen = toTheEnd(response);
    await run(threadId, 'one');
    expect((await seen).map((frame) => eventOf(frame).params.data.event)).toEqual(['running', 'completed']);
  });

  it('[protocol.stream] ends when its session does', async () => {
    const cleo = await service.user('cleo');
    const response = await events(await newThread(cleo), { channels: ['lifecycle'] }, cleo);
    const ended = response.text();
    const took = ownTime();
    await cleo.post('/api/v1/auth/change-password', {
      current_password: 'correct horse battery',
      new_password: 'another horse battery',
    });
    expect((await ended).replaceAll(':\n', '')).toBe('');
    expect(took()).toBeLessThan(5_000);
  });
});

it('[protocol.stream] gives way to newer streams of its user when there are too many', async () => {
  const dan = await service.user('dan');
  const threadId = await newThread(dan);
  const streams: Response[] = [];
  for (let count = 0; count <= 20; count += 1) {
    streams.push(await events(threadId, { channels: ['values'] }, dan));
  }
  expect(await streams[0]?.text()).toBe('');
  for (const stream of streams.slice(1)) await stream.body?.cancel();
});

describe('a request', () => {
  it('[protocol.owner] treats another user’s thread as absent: 404, or a stream without events', async () => {
    const bob = await service.user('bob');
    const bobs = await newThread(bob);
    const body = { id: 1, method: 'state.get' };
    const foreign = await ann.post(`/api/graph/threads/${bobs}/commands`, body);
    const absent = await ann.post('/api/graph/threads/absent/commands', body);
    expect([foreign.status, await foreign.text()]).toEqual([404, await absent.text()]);
    const streams = [await events(bobs, { channels: ALL }), await events('absent', { channels: ALL })];
    const first = streams.map((stream) => framesOf(stream).next());
    service.model.enqueue(answer.text('to bob alone'));
    await (await bob.post(`/api/graph/threads/${bobs}/runs/wait`, question('hi'))).text();
    const quiet = Promise.race(first).then(() => 'an event');
    expect(await Promise.race([quiet, newThread(ann).then(() => 'nothing')])).toBe('nothing');
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    // The oldest streams of a user give way, which ends these two.
    const more = Array.from({ length: 20 }, () => events('absent', { channels: ['values'] }));
    expect((await Promise.all(first)).map(({ done }) => done)).toEqual([true, true]);
    for (const stream of await Promise.all(more)) await stream.body?.cancel();
  });

  it('[protocol.first] may come before the thread: it shows the run that creates it', async () => {
    const threadId = crypto.randomUUID();
    const stream = await events(threadId, { channels: ['lifecycle', 'messages'] });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ]);
    const seen = toTheEnd(stream);
    service.model.enqueue(answer.text('Hello'));
    const params = { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: 'hi' }] } };
    await ann.post(`/api/graph/threads/${threadId}/commands`, { id: 1, method: 'run.start', params });
    const methods = (await seen).map((frame) => eventOf(frame).method);
    expect([methods[0], methods.includes('messages'), methods.at(-1)]).toEqual([
      'lifecycle',
      true,
      'lifecycle',
    ]);
  });

  it.each([
    ['no channels', {}],
    ['an empty list', { channels: [] }],
    ['an unknown channel', { channels: ['debug'] }],
    ['a negative depth', { channels: ['values'], depth: -1 }],
    ['namespaces of texts', { channels: ['values'], namespaces: ['tools'] }],
  ])('[protocol.invalid] with %s is 422', async (_name, body) => {
    expect((await events(await newThread(ann), body)).status).toBe(422);
  });

  it('[protocol.commands] that is malformed is 422; one that cannot be executed gets a response', async () => {
    const threadId = await newThread(ann);
    const send = (body: object) => ann.post(`/api/graph/threads/${threadId}/commands`, body);
    expect((await send({ method: 'state.get' })).status).toBe(422);
    expect(await jsonOf(send({ id: 7, method: 'state.get' }))).toEqual({
      type: 'success',
      id: 7,
      result: { values: {} },
      meta: { thread_id: threadId, applied_through_seq: 0 },
    });
    const refused = await send({ id: 8, method: 'subscription.subscribe', params: {} });
    expect(refused.status).toBe(200);
    expect(await jsonOf(refused)).toMatchObject({ type: 'error', id: 8, error: 'not_supported' });
  });

  it('[protocol.commands] for the state may name its fields', async () => {
    const threadId = await newThread(ann);
    await run(threadId, 'one');
    const get = (keys: string[]) =>
      jsonOf<{ result: { values: object; checkpoint: object } }>(
        ann.post(`/api/graph/threads/${threadId}/commands`, { id: 1, method: 'state.get', params: { keys } }),
      );
    expect((await get(['title'])).result).toEqual({
      values: { title: 'one' },
      checkpoint: { id: expect.any(String), ns: '' },
    });
    expect(Object.keys((await get(['messages'])).result.values)).toEqual(['messages']);
  });
});
