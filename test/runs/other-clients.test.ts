// Runs as third-party programs create and list them: forms of messages, pages of runs, threads of an agent.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import type { MessageTuple } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService();
});
beforeEach(() => test.model.reset());
afterAll(() => test.close());

const runsOf = (prefix: string, threadId: string) => `${prefix}/threads/${threadId}/runs`;

/** The text of the model, in pieces. */
const PIECES = ['I', ' look.', 'It is ', 'empty.'];

describe('a program', () => {
  it('[runs.input.forms] a text, a pair, a dump of a message class and a single message are accepted as messages', async () => {
    const client = await test.user();
    const wait = async (path: string, messages: unknown) => {
      test.model.enqueue(answer.text('ok'));
      const answered = await client.post(path, { input: { messages } });
      expect([messages, answered.status]).toEqual([messages, 200]);
      return jsonOf<ValuesJson>(answered);
    };
    const threadId = await newThread(client);
    const path = `${runsOf('/api', threadId)}/wait`;
    const dumped = (name: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', name],
      kwargs,
    });
    await wait(path, 'alone');
    await wait(path, { role: 'user', content: 'one' });
    await wait(path, [
      ['user', 'pair'],
      ['assistant', [{ type: 'text', text: 'answered' }]],
      ['human', 'again'],
    ]);
    const values = await wait(path, [
      'text',
      dumped('AIMessage', { content: 'so', tool_calls: [] }),
      dumped('HumanMessage', { content: 'dump', id: 'kept', additional_kwargs: { a: 1 } }),
    ]);
    const said = values.messages.filter(({ content }) => content !== 'ok');
    expect(said.map(({ type, content }) => [type, content])).toEqual([
      ['human', 'alone'],
      ['human', 'one'],
      ['human', 'pair'],
      ['ai', [{ type: 'text', text: 'answered' }]],
      ['human', 'again'],
      ['human', 'text'],
      ['ai', 'so'],
      ['human', 'dump'],
    ]);
    expect(said.at(-1)).toMatchObject({ id: 'kept', additional_kwargs: { a: 1 } });
    const updated = await jsonOf<StateJson>(
      client.post(`/api/threads/${threadId}/state`, {
        values: { messages: ['told', ['ai', 'noted'], dumped('RemoveMessage', { id: 'kept' })] },
      }),
    );
    expect(updated.values.messages.map(({ content }) => content).slice(-2)).toEqual(['told', 'noted']);
    expect(updated.values.messages.map(({ id }) => id)).not.toContain('kept');
  });

  it('[threads.agent] a thread is found by its agent, also under a metadata search', async () => {
    const client = await test.user();
    const path = (threadId: string) => `/api/graph/threads/${threadId}`;
    const threadId = await newThread(client);
    await client.patch(path(threadId), { metadata: { project: 'tea', graph_id: 'another' } });
    const found = async (metadata: object) =>
      (await jsonOf<{ thread_id: string }[]>(client.post('/api/graph/threads/search', { metadata }))).map(
        (thread) => thread.thread_id,
      );
    expect(await found({ graph_id: 'lead_agent' })).toEqual([]);
    test.model.onRequest(() => answer.text('ok'));
    await streamed(client, threadId, question('one'));
    await streamed(client, threadId, question('two'));
    const metadata = { project: 'tea', graph_id: 'lead_agent', assistant_id: 'lead_agent' };
    expect(await jsonOf(client.get(path(threadId)))).toMatchObject({ metadata });
    expect(await found({ graph_id: 'lead_agent' })).toEqual([threadId]);
    expect(await found({ assistant_id: 'lead_agent', project: 'tea' })).toEqual([threadId]);
    expect(await found({ graph_id: 'another' })).toEqual([]);
    const full = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`key${index}`, index]));
    const other = await jsonOf<{ thread_id: string }>(client.post('/api/graph/threads', { metadata: full }));
    await streamed(client, other.thread_id, question('one'));
    expect(await jsonOf(client.get(path(other.thread_id)))).toMatchObject({ metadata: full });
  });

  it('[runs.stream.events.order] an event has each piece before its message, and end events have the input', async () => {
    const client = await test.user();
    const args = { description: 'look', path: '/mnt/user-data' };
    test.model.enqueue(
      answer.toolCalls([{ name: 'ls', args }], { text: 'I look.' }),
      answer.text(['It is ', 'empty.']),
    );
    const body = question('What is there?', { stream_mode: ['events', 'messages-tuple'] });
    const frames = await streamed(client, await newThread(client), body);
    interface Told {
      readonly event: string;
      readonly data: { readonly input?: unknown; readonly chunk?: { readonly content: string } };
    }
    const told = dataOf<Told>(frames, 'events');
    const given = (name: string) => told.filter(({ event }) => event === name).map(({ data }) => data.input);
    expect(given('on_tool_end')).toMatchObject([args]);
    expect(given('on_chat_model_end')).toMatchObject([{ messages: [[{}]] }, { messages: [[{}, {}, {}]] }]);
    const said: Readonly<Record<string, (data: unknown) => string | undefined>> = {
      events: (data) => (data as Told).data.chunk?.content,
      messages: (data) => (data as MessageTuple)[0].content,
    };
    const pieces = frames
      .map(({ event, data }) => `${event} ${said[event]?.(data) ?? ''}`)
      .filter((it) => PIECES.some((text) => it.endsWith(` ${text}`)));
    expect(pieces).toEqual(PIECES.flatMap((text) => [`events ${text}`, `messages ${text}`]));
  });

  it('[runs.list.pages] reaches every run, and names the start of the next page', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.onRequest(() => answer.text('ok'));
    for (const text of ['one', 'two', 'three']) await streamed(client, threadId, question(text));
    for (const prefix of ['/api', '/api/graph']) {
      const path = runsOf(prefix, threadId);
      const seen: string[] = [];
      for (let next: string | null = '0'; next !== null; ) {
        const page: Response = await client.get(`${path}?limit=2&offset=${next}`);
        for (const run of await jsonOf<RunJson[]>(page)) seen.push(run.run_id);
        next = page.headers.get('x-pagination-next');
      }
      expect([seen.length, new Set(seen).size]).toEqual([3, 3]);
      const all = await client.get(path);
      expect((await jsonOf<{ runs: RunJson[] }>(all)).runs.map(({ run_id }) => run_id)).toEqual(seen);
      expect(all.headers.get('x-pagination-next')).toBeNull();
    }
  });

  it('[runs.list.pages] ends a page early where runs hold megabytes', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.onRequest(() => answer.text('ok'));
    const text = 'x'.repeat(3_600_000);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      const body = { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: text }] } };
      const run = await jsonOf<RunJson>(client.post(runsOf('/api/graph', threadId), body));
      made.unshift(run.run_id);
    }
    const first: Response = await client.get(`${runsOf('/api/graph', threadId)}?limit=10`);
    const some = (await jsonOf<RunJson[]>(first)).map(({ run_id }) => run_id);
    expect(first.headers.get('x-pagination-next')).toBe('4');
    const rest = await client.get(`${runsOf('/api/graph', threadId)}?limit=10&offset=4`);
    const last = (await jsonOf<RunJson[]>(rest)).map(({ run_id }) => run_id);
    expect([...some, ...last]).toEqual(made);
    for (const id of made) await client.post(`${runsOf('/api/graph', threadId)}/${id}/cancel`, {});
  });

  it.each(['select=run_id,status', 'select=run_id&select=status', 'select=["run_id","status"]'])(
    '[runs.list.pages] shows the requested fields: %s',
    async (select) => {
      const client = await test.user();
      const threadId = await newThread(client);
      test.model.enqueue(answer.text('ok'));
      await streamed(client, threadId, question('one'));
      const [run] = await jsonOf<object[]>(client.get(`${runsOf('/api', threadId)}?limit=1&${select}`));
      expect(Object.keys(run ?? {}).sort()).toEqual(['run_id', 'status']);
    },
  );
});
