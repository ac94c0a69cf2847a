// Streams of runs: frames, ids, modes, reconnects (decisions, section 4).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson, type ValuesJson as Values } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf, framesOf, type TestFrame } from '../support/sse.ts';

const MODES = ['values', 'messages-tuple', 'updates', 'custom'];

type Tuple = [
  { readonly id: string; readonly type: string; readonly content: string; readonly role: string },
  { readonly langgraph_node: string; readonly run_id: string },
];

function runOf([metadata]: readonly TestFrame[]): string {
  const data = metadata?.data as { run_id: string } | undefined;
  return data?.run_id ?? '';
}

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

  it('[runs.stream.ids] has ids <seq>-<k> that rise strictly', async () => {
    const client = await test.user();
    test.model.enqueue(answer.text(['Hel', 'lo']));
    const frames = await streamed(client, await newThread(client), question('hi', { stream_mode: MODES }));
    const places = frames.map(({ id }) => {
      expect(id).toMatch(/^\d+-\d+$/);
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
    const chunks = dataOf<Tuple>(frames, 'messages');
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
    expect(dataOf(frames, 'events').at(0)).toMatchObject({
      event: 'on_chat_model_stream',
      data: { chunk: { content: 'Hello' } },
    });
  });

  it('[runs.stream.modes.invalid] a mode that is not one is 422 before a run is created', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    for (const mode of ['tools', 'messages', 'nonsense']) {
      const refused = await client.post(
        `/api/graph/threads/${threadId}/runs/stream`,
        question('hi', { stream_mode: [mode] }),
      );
      expect(refused.status).toBe(422);
    }
    expect(await (await client.get(`/api/graph/threads/${threadId}/runs?limit=10`)).json()).toEqual([]);
  });

  it('[runs.stream.modes.default] no mode and an empty list mean values', async () => {
    const client = await test.user();
    for (const fields of [{}, { stream_mode: [] }, { stream_mode: null }]) {
      test.model.enqueue(answer.text('Hello'));
      const frames = await streamed(client, await newThread(client), question('hi', fields));
      expect(new Set(frames.map(({ event }) => event))).toEqual(new Set(['metadata', 'values', 'end']));
    }
  });

  it('[runs.stream.headers] answers Content-Location, Location and headers that keep proxies from buffering', async () => {
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

describe('a reader that comes back', () => {
  it('[runs.stream.replay] sees what follows its last id, from every place, in the same frames', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text(['one ', 'two ', 'three']));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    for (const [index, { id }] of frames.entries()) {
      const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
      const rest = await allFrames(await client.get(path, { 'last-event-id': id }));
      expect(rest).toEqual(frames.slice(index + 1));
    }
  });

  it('[runs.stream.replay.start] -1, none and a strange id mean from the start; a bare n the whole event', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
    for (const headers of [{}, { 'last-event-id': '-1' }, { 'last-event-id': 'x y' }]) {
      expect(await allFrames(await client.get(path, headers))).toEqual(frames);
    }
    const afterFour = frames.filter(({ id }) => Number(id.split('-')[0]) > 4);
    expect(await allFrames(await client.get(path, { 'last-event-id': '4' }))).toEqual(afterFour);
  });

  it('[runs.stream.replay.start] an id that the run never reached says nothing: it is shown from the start', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'), answer.text('Hello again'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
    for (const id of ['999', '999-0', '999999999999999-1']) {
      expect(await allFrames(await client.get(path, { 'last-event-id': id }))).toEqual(frames);
    }
    // What a client saw of another run is not what it saw of the one that it creates.
    const created = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('again', { stream_mode: MODES }),
      { 'last-event-id': '3-0' },
    );
    expect((await allFrames(created)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['metadata', 'updates', 'end']),
    );
  });

  it('[runs.stream.replay.live] in mid-run loses nothing and sees nothing twice', async () => {
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
    const response = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('hi', { stream_mode: MODES }),
    );
    const seen: TestFrame[] = [];
    for await (const frame of framesOf(response)) {
      seen.push(frame);
      if (frame.event === 'messages') break;
    }
    const path = `/api/graph/threads/${threadId}/runs/${runOf(seen)}/stream`;
    const rest = await client.get(path, { 'last-event-id': seen.at(-1)?.id ?? '' });
    gate.resolve();
    const all = [...seen, ...(await allFrames(rest))];
    expect(all).toEqual(await allFrames(await client.get(path)));
    expect(
      dataOf<Tuple>(all, 'messages')
        .map(([message]) => message.content)
        .join(''),
    ).toBe('one two');
  });

  it('[runs.stream.replay.modes] may ask for other modes and goes on after the event', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: ['messages-tuple'] }));
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream?stream_mode=values`;
    const values = dataOf<Values>(await allFrames(await client.get(path)), 'values');
    expect(values.at(-1)?.messages.at(-1)?.content).toBe('Hello');
    const json = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream?stream_mode=["values","updates"]`;
    expect(new Set((await allFrames(await client.get(json))).map(({ event }) => event))).toContain('updates');
    expect((await client.get(path.replace('=values', '=tools'))).status).toBe(422);
  });

  it('[runs.owner] to a run of somebody else, or that does not exist, gets the same 404', async () => {
    const client = await test.user();
    const stranger = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    const frames = await streamed(client, threadId, question('hi'));
    const foreign = await stranger.get(`/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`);
    const absent = await stranger.get('/api/graph/threads/nothing/runs/nothing/stream');
    expect([foreign.status, await foreign.text()]).toEqual([absent.status, await absent.text()]);
    expect(foreign.status).toBe(404);
    const ownThread = await newThread(stranger);
    expect((await stranger.get(`/api/graph/threads/${ownThread}/runs/${runOf(frames)}/stream`)).status).toBe(
      404,
    );
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

  it('[runs.disconnect.cancel] ends it when the run was created so', async () => {
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
