// Streams of runs: frames, ids, modes, reconnects (docs/contract/streaming.md).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson, type ValuesJson as Values } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type MessageTuple, MODES, runOf } from '../support/run-stream.ts';
import {
  newThread,
  openTestService,
  question,
  streamed,
  TEST_PASSWORD,
  type TestService,
} from '../support/service.ts';
import { allFrames, dataOf, framesOf } from '../support/sse.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

describe('a stream', () => {
  it('[runs.stream.first-last] begins with metadata and ends with end, once each', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text(['Hel', 'lo']));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    expect(frames.at(0)).toMatchObject({ event: 'metadata', data: { thread_id: threadId, attempt: 1 } });
    expect(frames.at(-1)).toMatchObject({ event: 'end', data: {} });
    expect(frames.filter(({ event }) => event === 'metadata' || event === 'end')).toHaveLength(2);
  });

  it('[runs.stream.ids] has ids <seq>-<k>-<epoch> that rise strictly', async () => {
    const client = await test.user();
    test.model.enqueue(answer.text(['Hel', 'lo']));
    const frames = await streamed(client, await newThread(client), question('hi', { stream_mode: MODES }));
    const places = frames.map(({ id }) => {
      expect(id).toMatch(/^\d+-\d+-[0-9a-f]{8}$/);
      const [seq = 0, k = 0] = id.split('-').map(Number);
      return seq * 1_000 + k;
    });
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
  });

  it('[runs.stream.values] shows the full state after the input and after every step, the last one final', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello there'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: ['values'] }));
    const values = dataOf<Values>(frames, 'values');
    expect(values.at(0)?.messages.map(({ type, content }) => [type, content])).toEqual([['human', 'hi']]);
    expect(values.at(-1)?.messages.map(({ type, content }) => [type, content])).toEqual([
      ['human', 'hi'],
      ['ai', 'Hello there'],
    ]);
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages).toEqual(values.at(-1)?.messages);
    expect(new Set(frames.map(({ event }) => event))).toEqual(new Set(['metadata', 'values', 'end']));
  });

  it('[runs.stream.messages] shows chunks as [message, metadata] with the id that the state has, and a role', async () => {
    const client = await test.user();
    test.model.enqueue(answer.text(['Hel', 'lo ', 'there']));
    const frames = await streamed(client, await newThread(client), question('hi', { stream_mode: MODES }));
    const chunks = dataOf<MessageTuple>(frames, 'messages');
    expect(chunks.map(([message]) => message.content).join('')).toBe('Hello there');
    const [[first, metadata] = []] = chunks;
    expect(first).toMatchObject({ type: 'AIMessageChunk', role: 'assistant' });
    expect(metadata).toMatchObject({ langgraph_node: 'model' });
    expect(new Set(chunks.map(([message]) => message.id)).size).toBe(1);
    expect(dataOf<Values>(frames, 'values').at(-1)?.messages.at(-1)?.id).toBe(first?.id);
  });

  it('[runs.stream.updates] shows what each node changed, under its name', async () => {
    const client = await test.user();
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(
      client,
      await newThread(client),
      question('hi', { stream_mode: 'updates' }),
    );
    expect(dataOf<Record<string, unknown>>(frames, 'updates')).toMatchObject([
      { 'title.before_agent': { title: 'hi' } },
      { model: { messages: [{ type: 'ai', content: 'Hello' }] } },
    ]);
  });

  it('[runs.stream.tools] shows tool calls as they grow and tool results whole', async () => {
    const client = await test.user();
    test.model.enqueue(
      answer.toolCalls([
        {
          name: 'write_file',
          args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'x' },
        },
      ]),
      answer.text('Done'),
    );
    const frames = await streamed(
      client,
      await newThread(client),
      question('note x', { stream_mode: MODES }),
    );
    const messages = dataOf<[Record<string, unknown>, Record<string, unknown>]>(frames, 'messages');
    const pieces = messages.flatMap(
      ([chunk]) => (chunk.tool_call_chunks as { args: string; name: string | null }[]) ?? [],
    );
    expect(JSON.parse(pieces.map(({ args }) => args).join(''))).toMatchObject({ content: 'x' });
    expect(messages.find(([message]) => message.type === 'tool')).toMatchObject([
      { content: 'OK', status: 'success', role: 'tool', name: 'write_file' },
      { langgraph_node: 'tools' },
    ]);
    const types = dataOf<Values>(frames, 'values')
      .at(-1)
      ?.messages.map(({ type }) => type);
    expect(types).toEqual(['human', 'ai', 'tool', 'ai']);
  });

  it('[runs.stream.other-modes] tasks, checkpoints, debug and events are streamed as the SDK types them', async () => {
    const client = await test.user();
    test.model.enqueue(answer.text('Hello'));
    const modes = ['tasks', 'checkpoints', 'debug', 'events'];
    const frames = await streamed(client, await newThread(client), question('hi', { stream_mode: modes }));
    expect(dataOf(frames, 'tasks').at(-2)).toMatchObject({
      name: 'model',
      input: {},
      triggers: expect.any(Array),
    });
    expect(dataOf(frames, 'tasks').at(-1)).toMatchObject({
      name: 'model',
      result: { messages: [{ type: 'ai' }] },
    });
    expect(dataOf(frames, 'checkpoints').at(-1)).toMatchObject({
      next: [],
      values: { messages: [{}, {}] },
      metadata: { source: 'loop' },
    });
    expect(dataOf(frames, 'debug').at(-1)).toMatchObject({
      type: 'checkpoint',
      step: expect.any(Number),
      timestamp: expect.stringMatching(/^20\d\d-/),
    });
    const events = dataOf<{ event: string; name: string; data: object }>(frames, 'events');
    expect(events.map(({ event, name }) => `${event} ${name}`)).toEqual([
      'on_chain_start LangGraph',
      'on_chain_start title.before_agent',
      'on_chain_end title.before_agent',
      'on_chain_start model',
      'on_chat_model_start model',
      'on_chat_model_stream model',
      'on_chat_model_stream model',
      'on_chat_model_end model',
      'on_chain_end model',
      'on_chain_end LangGraph',
    ]);
    expect(events.find(({ event }) => event === 'on_chat_model_stream')).toMatchObject({
      data: { chunk: { content: 'Hello' } },
    });
  });

  it('[runs.stream.modes.invalid] an unknown mode is 422 before a run is created', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    for (const mode of [['tools'], 'tools', ['values', 'nonsense']]) {
      const refused = await client.post(
        `/api/graph/threads/${threadId}/runs/stream`,
        question('hi', { stream_mode: mode }),
      );
      expect(refused.status).toBe(422);
      const { detail } = await jsonOf<{ detail: { loc: string[]; msg: string }[] }>(refused);
      expect(detail[0]?.loc).toEqual(['body', 'stream_mode']);
      expect(detail[0]?.msg).toContain('values, messages-tuple, messages, custom');
    }
    expect(await (await client.get(`/api/graph/threads/${threadId}/runs?limit=10`)).json()).toEqual([]);
  });

  it('[runs.stream.modes.default] no mode and an empty list or text mean values', async () => {
    const client = await test.user();
    for (const fields of [{}, { stream_mode: [] }, { stream_mode: null }, { stream_mode: '' }]) {
      test.model.enqueue(answer.text('Hello'));
      const frames = await streamed(client, await newThread(client), question('hi', fields));
      expect(new Set(frames.map(({ event }) => event))).toEqual(new Set(['metadata', 'values', 'end']));
    }
  });

  it('[runs.stream.modes.join] an empty mode in the query means the modes of the run', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: ['updates'] }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
    for (const query of ['', '?stream_mode=', '?stream_mode=[]', '?stream_mode=updates']) {
      const joined = await client.get(`${path}${query}`);
      expect([query, joined.status]).toEqual([query, 200]);
      expect(await allFrames(joined)).toEqual(frames);
    }
    const two = await allFrames(await client.get(`${path}?stream_mode=updates,values`));
    expect(new Set(two.map(({ event }) => event))).toEqual(new Set(['metadata', 'updates', 'values', 'end']));
  });

  it('[runs.stream.headers] returns Content-Location, Location and headers that keep proxies from buffering', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const response = await client.post(`/api/graph/threads/${threadId}/runs/stream`, question('hi'));
    const runId = runOf(await allFrames(response));
    expect(response.headers.get('content-location')).toBe(`/threads/${threadId}/runs/${runId}`);
    expect(response.headers.get('location')).toBe(`/threads/${threadId}/runs/${runId}/stream`);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('content-encoding')).toBeNull();
  });
});

describe('a client that leaves', () => {
  it('[runs.disconnect.continue] does not end its run', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const gate = Promise.withResolvers<void>();
    test.model.enqueue(
      answer.script(
        step.text('one '),
        step.until(gate.promise),
        step.text('two'),
        step.finish(),
        step.done(),
      ),
    );
    const response = await client.post(`/api/graph/threads/${threadId}/runs/stream`, question('hi'));
    for await (const { event } of framesOf(response)) if (event === 'values') break;
    gate.resolve();
    const [run] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
    const values = await jsonOf<Values>(
      client.get(`/api/graph/threads/${threadId}/runs/${run?.run_id}/join`),
    );
    expect(values.messages.at(-1)?.content).toBe('one two');
  });

  it('[runs.disconnect.cancel] ends its run if the run was created so', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.hangMidStream('one '));
    const body = question('hi', { on_disconnect: 'cancel', stream_mode: ['messages-tuple'] });
    const response = await client.post(`/api/graph/threads/${threadId}/runs/stream`, body);
    for await (const { event } of framesOf(response)) if (event === 'messages') break;
    const [run] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
    await client.get(`/api/graph/threads/${threadId}/runs/${run?.run_id}/join`).then((it) => it.text());
    const ended = await jsonOf<RunJson>(client.get(`/api/graph/threads/${threadId}/runs/${run?.run_id}`));
    expect(ended).toMatchObject({ status: 'interrupted', stop_reason: 'interrupted_by_user' });
  });
});

describe('many streams', () => {
  it('[hostile.S67] [runs.stream.many] of one user: the twenty-first closes the oldest, and other users keep theirs', async () => {
    const client = await test.user();
    const other = await test.user();
    test.model.onRequest(() => answer.hangMidStream('some words'));
    const open = async (reader: typeof client) => {
      const threadId = await newThread(reader);
      const body = question('hi', { stream_mode: ['messages-tuple'] });
      const response = await reader.post(`/api/graph/threads/${threadId}/runs/stream`, body);
      const frames = framesOf(response);
      await frames.next();
      return { threadId, frames, runId: /runs\/([^/]+)/.exec(response.headers.get('location') ?? '')?.[1] };
    };
    const theirs = await open(other);
    const first = await open(client);
    for (let count = 0; count < 20; count++) await open(client);
    const rest: string[] = [];
    for await (const { event } of first.frames) rest.push(event);
    expect(rest).not.toContain('end');
    const path = `/api/graph/threads/${first.threadId}/runs/${first.runId}`;
    expect(await jsonOf<RunJson>(client.get(path))).toMatchObject({ status: 'running' });
    expect((await theirs.frames.next()).value).toMatchObject({ event: 'messages' });
  });

  it('[runs.stream.revoked] ends with the session of its reader, whatever it reads, and the run continues', async () => {
    const client = await test.user('ann');
    const threadId = await newThread(client);
    const path = `/api/graph/threads/${threadId}`;
    const rest = Promise.withResolvers<void>();
    test.model.enqueue(
      answer.script(
        step.text('some '),
        step.until(rest.promise),
        step.text('words'),
        step.finish(),
        step.done(),
      ),
    );
    const response = await client.post(
      `${path}/runs/stream`,
      question('hi', { stream_mode: ['messages-tuple'], on_disconnect: 'cancel' }),
    );
    const run = `${path}/runs/${/runs\/([^/]+)/.exec(response.headers.get('location') ?? '')?.[1]}`;
    const readers = [
      response,
      await client.get(`${run}/stream`),
      await client.get(`${run}/join`),
      await client.post(`${path}/stream/events`, { channels: ['messages'] }),
    ];
    const endings = readers.map((it) => it.text().catch(() => 'cut off'));
    const elsewhere = await test.user('ann');
    const change = { current_password: TEST_PASSWORD, new_password: 'another long password' };
    expect((await elsewhere.post('/api/v1/auth/change-password', change)).status).toBe(200);
    const [stream, again, joined, events] = await Promise.all(endings);
    for (const text of [stream, again, events]) expect(text).not.toContain('event: end');
    expect(joined).toBe('cut off');
    expect((await client.get(`${run}/stream`)).status).toBe(401);
    rest.resolve();
    const values = await jsonOf<Values>(elsewhere.get(`${run}/join`));
    expect(values.messages.at(-1)?.content).toBe('some words');
    expect(test.complaints).toEqual([]);
  });
});
