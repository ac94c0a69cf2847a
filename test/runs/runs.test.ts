// Runs as records: creation, listing, endings, totals, titles, admission (docs/contract/runs.md).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames } from '../support/sse.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

const runsOf = (prefix: string, threadId: string) => `${prefix}/threads/${threadId}/runs`;

describe('creating a run', () => {
  it('[runs.create.both] streams without assistant_id or for an event-stream Accept, else returns the run', async () => {
    const client = await test.user();
    for (const prefix of ['/api', '/api/graph']) {
      const path = runsOf(prefix, await newThread(client, prefix));
      test.model.onRequest(() => answer.text('Hello'));
      const { assistant_id: _, ...bare } = question('hi');
      const contract = await client.post(path, bare);
      expect(contract.headers.get('content-type')).toContain('text/event-stream');
      await contract.text();
      const accepting = await client.post(path, question('hi'), { accept: 'text/event-stream' });
      expect(accepting.headers.get('content-type')).toContain('text/event-stream');
      await accepting.text();
      const sdk = await client.post(path, question('hi'), { accept: '*/*' });
      const run = await jsonOf<RunJson>(sdk);
      expect(run).toMatchObject({ status: 'pending', attempt: 0, follow_up_to_run_id: expect.any(String) });
      expect(sdk.headers.get('content-location')).toMatch(/^\/threads\/.*\/runs\/[^/]+$/);
      await client.get(`${path}/${run.run_id}/join`).then((it) => it.text());
    }
  });

  it('[hostile.S32] [runs.reserved-keys] no field of a request makes its user pass for another owner', async () => {
    const client = await test.user();
    const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
    const other = { user_id: 'somebody-else', owner_id: 'somebody-else' };
    test.model.onRequest(() => answer.text('Hello'));
    for (const prefix of ['/api', '/api/graph']) {
      const path = runsOf(prefix, await newThread(client, prefix));
      const config = { configurable: { ...other, thread_id: 'x' }, metadata: other };
      const request = { metadata: { ...other, kept: 1 }, config, context: other, ...other };
      const run = await jsonOf<RunJson>(client.post(path, question('hi', request), { accept: '*/*' }));
      expect(run).toMatchObject({ user_id: id, metadata: { kept: 1 } });
      const seen = [run, await (await client.get(`${path}/${run.run_id}/join`)).text()];
      for (const place of [`/api/runs/${run.run_id}/messages`, `${path}/${run.run_id}/stream`])
        seen.push(await (await client.get(place)).text());
      seen.push(await (await client.get(`${path.replace('/runs', '/state')}`)).text());
      expect(JSON.stringify(seen)).not.toContain('somebody-else');
    }
    expect(JSON.stringify(test.model.requests)).not.toContain('somebody-else');
  });

  it('[runs.wait] waits and returns the final values as JSON', async () => {
    const client = await test.user();
    test.model.enqueue(answer.text('Hello there'));
    const response = await client.post(
      `${runsOf('/api/graph', await newThread(client))}/wait`,
      question('hi'),
    );
    expect(response.headers.get('location')).toMatch(/^\/threads\/.*\/runs\/.*\/stream$/);
    const values = await jsonOf<ValuesJson>(response);
    expect(values.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'hi'],
      ['assistant', 'Hello there'],
    ]);
    expect(values.title).toBe('hi');
  });

  it('[runs.stateless] without a thread makes one of the user and keeps it', async () => {
    const client = await test.user();
    test.model.onRequest(() => answer.text('Hello'));
    for (const prefix of ['/api', '/api/graph']) {
      const streamedRun = await client.post(`${prefix}/runs/stream`, question('hi'));
      const [, threadId = ''] = /^\/threads\/([^/]+)\//.exec(streamedRun.headers.get('location') ?? '') ?? [];
      expect((await allFrames(streamedRun)).at(-1)?.event).toBe('end');
      expect((await client.get(`${prefix}/threads/${threadId}`)).status).toBe(200);
      const waited = await jsonOf<ValuesJson>(client.post(`${prefix}/runs/wait`, question('hi')));
      expect(waited.messages.at(-1)?.content).toBe('Hello');
    }
  });

  it('[runs.assistant.unknown] an unknown assistant is 404 and creates nothing', async () => {
    const client = await test.user();
    const path = runsOf('/api/graph', await newThread(client));
    const refused = await client.post(`${path}/stream`, question('hi', { assistant_id: 'nobody' }));
    expect(refused.status).toBe(404);
    expect(await jsonOf(client.get(path))).toEqual({ runs: [] });
  });

  it('[runs.thread.missing] a thread that is missing or foreign is 404; if_not_exists creates it', async () => {
    const client = await test.user();
    const stranger = await test.user();
    const foreign = await newThread(stranger);
    for (const threadId of ['nothing-here', foreign]) {
      const refused = await client.post(`${runsOf('/api', threadId)}/stream`, question('hi'));
      expect([refused.status, await refused.json()]).toEqual([404, { detail: 'Thread not found' }]);
    }
    expect((await client.post(`${runsOf('/api', 'bad id!')}/stream`, question('hi'))).status).toBe(422);
    test.model.enqueue(answer.text('Hello'));
    const body = question('hi', { if_not_exists: 'create' });
    expect((await client.post(`${runsOf('/api/graph', 'my-own-thread')}/wait`, body)).status).toBe(200);
    expect((await client.get('/api/threads/my-own-thread')).status).toBe(200);
  });

  it('[runs.input] messages by role or type are accepted, malformed ones are 422, and none needs a state to continue from', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const wait = (messages: unknown) =>
      client.post(`${runsOf('/api', threadId)}/wait`, { input: { messages } });
    for (const bad of [
      [{ content: 'x' }],
      [{ role: 'robot', content: 'x' }],
      [{ role: 'user' }],
      [['robot', 'x']],
      [['user', 'x', 'y']],
      [[1, 2]],
      [{ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: {} }],
      [{ lc: 1, type: 'constructor', id: ['langchain_core', 'Robot'], kwargs: { content: 'x' } }],
      7,
      [null],
    ]) {
      expect((await wait(bad)).status).toBe(422);
    }
    expect((await client.post(`${runsOf('/api', threadId)}/wait`, { input: null })).status).toBe(422);
    test.model.enqueue(answer.text('one'));
    const blocks = [
      { type: 'text', text: 'in ' },
      { type: 'text', text: 'blocks' },
    ];
    await jsonOf(wait([{ type: 'human', id: 'my-id', content: blocks }]));
    const state = await jsonOf<StateJson>(client.get(`/api/threads/${threadId}/state`));
    expect(state.values.messages[0]).toMatchObject({ id: 'my-id', type: 'human', content: blocks });
    test.model.enqueue(answer.text('two'));
    const again = await client.post(`${runsOf('/api/graph', threadId)}/wait`, {
      assistant_id: 'lead_agent',
      input: null,
    });
    expect((await jsonOf<ValuesJson>(again)).messages.at(-1)?.content).toBe('two');
  });
});

describe('the record of a run', () => {
  it('[runs.record] has its totals, counts and reasons when it ended', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(
      answer.toolCalls([{ name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } }], {
        usage: { prompt: 20, completion: 4 },
      }),
      answer.text('Nothing there', { usage: { prompt: 30, completion: 6 } }),
    );
    await streamed(client, threadId, question('list'));
    const [run] = await jsonOf<RunJson[]>(client.get(`${runsOf('/api/graph', threadId)}?limit=10&offset=0`));
    expect(run).toMatchObject({
      status: 'success',
      stop_reason: 'completed',
      attempt: 1,
      error: null,
      total_input_tokens: 50,
      total_output_tokens: 10,
      total_tokens: 60,
      lead_agent_tokens: 60,
      middleware_tokens: 0,
      llm_call_count: 2,
      message_count: 4,
      token_usage_by_model: { scripted: { tokens: 60, calls: 2 } },
      started_at: expect.stringMatching(/\+00:00$/),
      finished_at: expect.stringMatching(/\+00:00$/),
    });
    const one = await client.get(`${runsOf('/api', threadId)}/${run?.run_id}`);
    expect(await one.json()).toEqual(run);
  });

  it('[runs.list] is {runs}, newest first, and a bare array with limit or offset', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.onRequest(() => answer.text('ok'));
    for (const text of ['one', 'two', 'three']) await streamed(client, threadId, question(text));
    const { runs } = await jsonOf<{ runs: RunJson[] }>(client.get(runsOf('/api', threadId)));
    expect(runs.map(({ run_id }) => run_id)).toEqual(
      runs
        .map(({ run_id }) => run_id)
        .sort()
        .reverse(),
    );
    expect(runs).toHaveLength(3);
    const page = await jsonOf<RunJson[]>(client.get(`${runsOf('/api/graph', threadId)}?limit=1&offset=1`));
    expect(page).toEqual([runs[1]]);
    expect(await jsonOf(client.get(`${runsOf('/api', threadId)}?limit=10&status=error`))).toEqual([]);
    expect((await client.get(`${runsOf('/api', threadId)}?limit=0`)).status).toBe(422);
  });

  it('[runs.follow-up] names the latest successful run of the thread, or the given one', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('one'), answer.unauthorized(), answer.text('three'), answer.text('four'));
    for (const text of ['one', 'two', 'three']) await streamed(client, threadId, question(text));
    const [second] = (await jsonOf<{ runs: RunJson[] }>(client.get(runsOf('/api', threadId)))).runs.slice(1);
    await streamed(client, threadId, question('four', { follow_up_to_run_id: second?.run_id }));
    const { runs } = await jsonOf<{ runs: RunJson[] }>(client.get(runsOf('/api', threadId)));
    const [four, three, two, one] = runs;
    expect(one?.follow_up_to_run_id).toBeNull();
    expect(two?.status).toBe('error');
    expect(three?.follow_up_to_run_id).toBe(one?.run_id);
    expect(four?.follow_up_to_run_id).toBe(two?.run_id);
  });

  it("[hostile.S33] [runs.follow-up.foreign] a run that is absent, another's or of another thread is 404, and no thread is made for it", async () => {
    const [client, bob] = [await test.user(), await test.user()];
    const [threadId, otherThread, bobs] = [
      await newThread(client),
      await newThread(client),
      await newThread(bob),
    ];
    test.model.enqueue(answer.text('one'), answer.text('two'));
    await streamed(client, otherThread, question('one'));
    await streamed(bob, bobs, question('two'));
    const idOf = async (owner: HttpClient, thread: string) =>
      (await jsonOf<{ runs: RunJson[] }>(owner.get(runsOf('/api', thread)))).runs[0]?.run_id;
    const before = await jsonOf<unknown[]>(client.post('/api/threads/search', {}));
    for (const given of ['absent', await idOf(client, otherThread), await idOf(bob, bobs)]) {
      const body = question('hi', { follow_up_to_run_id: given, if_not_exists: 'create' });
      for (const path of [runsOf('/api', threadId), '/api/graph/runs/stream', runsOf('/api/graph', 'new')]) {
        const answered = await client.post(path, body);
        expect([path, answered.status, await answered.text()]).toEqual([
          path,
          404,
          '{"detail":"Run not found"}',
        ]);
      }
    }
    expect(await jsonOf(client.get(runsOf('/api', threadId)))).toEqual({ runs: [] });
    expect(await jsonOf<unknown[]>(client.post('/api/threads/search', {}))).toHaveLength(before.length);
  });

  it('[threads.status] the thread is busy during a run, then idle or error, and has the title as its name', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const thread = () =>
      jsonOf<{ status: string; values: { title?: string } }>(client.get(`/api/threads/${threadId}`));
    const gate = Promise.withResolvers<void>();
    test.model.onRequest(async () => {
      await gate.promise;
      return answer.text('Hello');
    });
    const running = streamed(client, threadId, question('# What is  a *monad*?\nSecond line'));
    await test.model.requested(1);
    expect((await thread()).status).toBe('busy');
    gate.resolve();
    await running;
    expect(await thread()).toMatchObject({ status: 'idle', values: { title: 'What is a *monad*?' } });
    test.model.onRequest(() => answer.unauthorized());
    await streamed(client, threadId, question('again'));
    expect(await thread()).toMatchObject({ status: 'error', values: { title: 'What is a *monad*?' } });
    const [found] = await jsonOf<{ values: { title: string } }[]>(
      client.post('/api/threads/search', { status: 'error' }),
    );
    expect(found?.values.title).toBe('What is a *monad*?');
  });
});
