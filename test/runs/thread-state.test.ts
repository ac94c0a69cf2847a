// State, history and state updates of a thread (docs/contract/state.md).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type MessageJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

const runsOf = (prefix: string, threadId: string) => `${prefix}/threads/${threadId}/runs`;

describe('the state', () => {
  it('[state.shapes] is the SDK shape under /api/graph and the gateway shape under /api', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const empty = await jsonOf(client.get(`/api/graph/threads/${threadId}/state`));
    expect(empty).toMatchObject({
      values: {},
      next: [],
      tasks: [],
      checkpoint: null,
      parent_checkpoint: null,
    });
    test.model.enqueue(answer.text('Hello'));
    await streamed(client, threadId, question('hi'));
    const runtime = await jsonOf(client.get(`/api/graph/threads/${threadId}/state`));
    expect(runtime).toMatchObject({
      values: {
        messages: [{ type: 'human' }, { type: 'ai' }],
        title: 'hi',
        sandbox: {},
        artifacts: [],
        thread_data: {},
      },
      next: [],
      tasks: [],
      checkpoint: { thread_id: threadId, checkpoint_ns: '', checkpoint_id: expect.any(String) },
      parent_checkpoint: { checkpoint_id: expect.any(String) },
      metadata: { source: 'loop', thread_id: threadId },
      created_at: expect.any(String),
    });
    const gateway = await jsonOf(client.get(`/api/threads/${threadId}/state`));
    expect(gateway).toMatchObject({
      checkpoint_id: expect.any(String),
      parent_checkpoint_id: expect.any(String),
      config: {},
    });
    expect((await client.get('/api/threads/nothing/state')).status).toBe(404);
  });

  it('[state.history] lists checkpoints newest first: full values for the SDK, messages on the newest for the gateway', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.onRequest(() => answer.text('Hello'));
    await streamed(client, threadId, question('one'));
    await streamed(client, threadId, question('two'));
    const runtime = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${threadId}/history`, { limit: 100 }),
    );
    expect(runtime.map(({ values }) => values.messages.length)).toEqual([4, 3, 2, 1, 1, 0]);
    const ids = runtime.map(({ checkpoint }) => checkpoint?.checkpoint_id ?? '');
    expect(ids).toEqual([...ids].sort().reverse());
    expect(runtime.map(({ parent_checkpoint }) => parent_checkpoint?.checkpoint_id)).toEqual([
      ...ids.slice(1),
      undefined,
    ]);
    const older = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${threadId}/history`, {
        limit: 2,
        before: { configurable: { checkpoint_id: ids[1] } },
      }),
    );
    expect(older.map(({ checkpoint }) => checkpoint?.checkpoint_id)).toEqual(ids.slice(2, 4));
    const gateway = await jsonOf<Record<string, unknown>[]>(
      client.post(`/api/threads/${threadId}/history?limit=3`),
    );
    expect(gateway).toHaveLength(3);
    expect(gateway.map((entry) => 'checkpoint' in entry)).toEqual([false, false, false]);
    const messages = gateway.map(({ values }) => (values as { messages?: MessageJson[] }).messages?.length);
    expect(messages).toEqual([4, undefined, undefined]);
    expect(gateway[0]).toMatchObject({
      checkpoint_id: ids[0],
      title: 'one',
      thread_data: {},
      metadata: { step: expect.any(Number) },
    });
    expect((await client.post(`/api/threads/${threadId}/history?limit=101`)).status).toBe(422);
  });

  it('[state.update] goes through the reducer, renames the thread, and is refused during a run', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    await streamed(client, threadId, question('hi'));
    const path = `/api/threads/${threadId}/state`;
    const before = await jsonOf<StateJson>(client.get(path));
    const [human, ai] = before.values.messages;
    const updated = await jsonOf<StateJson>(
      client.post(path, {
        values: {
          title: 'My title',
          messages: [
            { ...ai, content: 'Edited' },
            { type: 'remove', id: human?.id },
          ],
        },
      }),
    );
    expect(updated.values).toMatchObject({
      title: 'My title',
      messages: [{ id: ai?.id, content: 'Edited' }],
    });
    expect(updated.values.messages).toHaveLength(1);
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({
      values: { title: 'My title' },
    });
    expect((await client.post(path, { values: { nonsense: 1 } })).status).toBe(422);
    expect((await client.post('/api/threads/nothing/state', { values: {} })).status).toBe(404);
    const runtime = await jsonOf(
      client.post(`/api/graph/threads/${threadId}/state`, { values: { title: 'Other' } }),
    );
    expect(runtime).toEqual({
      checkpoint: {
        thread_id: threadId,
        checkpoint_ns: '',
        checkpoint_id: expect.any(String),
        checkpoint_map: null,
      },
    });
    test.model.enqueue(answer.hangMidStream('busy'));
    const response = await client.post(
      `${runsOf('/api/graph', threadId)}/stream`,
      question('hi', { stream_mode: ['messages-tuple'] }),
    );
    for await (const { event } of framesOf(response)) if (event === 'messages') break;
    expect((await client.post(path, { values: { title: 'No' } })).status).toBe(409);
  });

  it('[state.sent-back] a state from the history can be sent back, and its empty title removes no title', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    await streamed(client, threadId, question('hi'));
    const path = `/api/threads/${threadId}`;
    const posted = await jsonOf<StateJson[]>(client.post(`${path}/history`, { limit: 100 }));
    const oldest = posted.at(-1);
    expect(oldest?.values).toMatchObject({ title: '' });
    const updated = await client.post(`${path}/state`, { values: oldest?.values });
    expect(updated.status).toBe(200);
    expect((await jsonOf<StateJson>(updated)).values.title).toBe('hi');
    const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
    expect((await client.post(`${path}/state`, { values })).status).toBe(200);
  });

  it('[state.history.get] the history is available by GET', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    await streamed(client, threadId, question('hi'));
    for (const prefix of ['/api/graph', '/api']) {
      const path = `${prefix}/threads/${threadId}/history`;
      const posted = await jsonOf<StateJson[]>(client.post(path, { limit: 2 }));
      expect(await jsonOf(client.get(`${path}?limit=2`))).toEqual(posted);
      const [, second] = await jsonOf<{ checkpoint_id: string }[]>(
        client.get(`/api/threads/${threadId}/history`),
      );
      const older = await jsonOf<StateJson[]>(client.get(`${path}?before=${second?.checkpoint_id}`));
      expect(older).toEqual(await jsonOf(client.post(path, { before: second?.checkpoint_id })));
      expect(older.length).toBeGreaterThan(0);
    }
  });

  it('[state.update.status] after an update the thread has the status of its new head', async () => {
    await test.close();
    test = await openTestService({ config: { agent: { approvals: { write_file: 'always' } } } });
    const client = await test.user();
    const threadId = await newThread(client);
    const path = `/api/graph/threads/${threadId}`;
    const status = async () => (await jsonOf<{ status: string }>(client.get(path))).status;
    const update = async (values: object, checkpoint_id?: string) => {
      const answered = await client.post(`${path}/state`, { values, checkpoint_id });
      expect(answered.status).toBe(200);
    };
    const idsOf = async () => {
      const history = await jsonOf<StateJson[]>(client.post(`${path}/history`, { limit: 100 }));
      return history.map(({ checkpoint }) => checkpoint?.checkpoint_id ?? '');
    };
    const write = { name: 'write_file', args: { description: 'x', path: '/a', content: 'y' } };
    test.model.enqueue(answer.text('first'), answer.toolCalls([write]));
    await streamed(client, threadId, question('one'));
    const [afterFirst = ''] = await idsOf();
    expect(await status()).toBe('idle');
    await streamed(client, threadId, question('two'));
    const [waiting = ''] = await idsOf();
    expect(await status()).toBe('interrupted');
    await update({ title: 'still open' });
    expect(await status()).toBe('interrupted');
    await update({ title: 'before the question' }, afterFirst);
    expect(await status()).toBe('idle');
    await update({ title: 'open again' }, waiting);
    expect(await status()).toBe('interrupted');
    const found = await jsonOf<object[]>(client.post('/api/graph/threads/search', { status: 'interrupted' }));
    expect(found).toHaveLength(1);
  });
});
