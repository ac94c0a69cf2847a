// The limits of a thread's state, whatever adds to it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
let client: HttpClient;
beforeAll(async () => {
  test = await openTestService({ config: { runs: { max_state_mb: 1 } } });
  client = await test.user();
});
afterAll(() => test.close());

const stateOf = (threadId: string) => `/api/graph/threads/${threadId}/state`;

/** Creates a thread whose state is a quarter of a megabyte below its limit. */
async function nearlyFull(): Promise<string> {
  const threadId = await newThread(client);
  const messages = [{ id: 'long', role: 'user', content: 'x'.repeat(800_000) }];
  expect((await client.post(stateOf(threadId), { values: { messages } })).status).toBe(200);
  return threadId;
}

const TOO_LARGE = /larger than 1 MB \(runs\.max_state_mb\)/;

describe('a state at its limit', () => {
  it('[state.limit] refuses updates that make it larger, and accepts those that make it smaller', async () => {
    const threadId = await nearlyFull();
    for (const values of [
      { messages: [{ role: 'user', content: 'x'.repeat(300_000) }] },
      { thread_data: { note: 'ü'.repeat(150_000) } },
    ]) {
      const refused = await client.post(stateOf(threadId), { values });
      expect(refused.status).toBe(413);
      expect(await detailOf(refused)).toMatch(TOO_LARGE);
    }
    const shorter = { messages: [{ type: 'remove', id: 'long' }] };
    expect((await client.post(stateOf(threadId), { values: shorter })).status).toBe(200);
    const again = { messages: [{ role: 'user', content: 'x'.repeat(300_000) }] };
    expect((await client.post(stateOf(threadId), { values: again })).status).toBe(200);
    const { values } = await jsonOf<StateJson>(client.get(stateOf(threadId)));
    expect(values.messages).toHaveLength(1);
  });

  it('[state.limit] refuses input that makes it larger, of a run and of a command', async () => {
    const threadId = await nearlyFull();
    const long = 'x'.repeat(300_000);
    const command = { goto: 'model', update: { messages: [{ role: 'user', content: long }] } };
    for (const body of [question(long), { assistant_id: 'lead_agent', command }]) {
      for (const prefix of ['/api/graph', '/api']) {
        const refused = await client.post(`${prefix}/threads/${threadId}/runs`, body);
        expect(refused.status).toBe(413);
        expect(await detailOf(refused)).toMatch(TOO_LARGE);
      }
    }
    expect(await jsonOf(client.get(`/api/graph/threads/${threadId}/runs`))).toEqual({ runs: [] });
    const begun = await client.post('/api/graph/threads', {
      supersteps: [
        { updates: [{ values: { messages: [{ role: 'user', content: 'x'.repeat(1_100_000) }] } }] },
      ],
    });
    expect(begun.status).toBe(413);
  });

  it('[state.limit] measures a branch at its start, whatever the thread has gained since', async () => {
    const threadId = await newThread(client);
    const headOf = async () =>
      (await jsonOf<StateJson>(client.get(stateOf(threadId)))).checkpoint?.checkpoint_id;
    await client.post(stateOf(threadId), { values: { messages: [{ role: 'user', content: 'small' }] } });
    const small = await headOf();
    const messages = [{ id: 'long', role: 'user', content: 'x'.repeat(800_000) }];
    await client.post(stateOf(threadId), { values: { messages } });
    const large = await headOf();
    const branch = (checkpoint_id: string | undefined) =>
      client.post(
        `/api/graph/threads/${threadId}/runs/wait`,
        question('x'.repeat(300_000), { checkpoint_id, multitask_strategy: 'reject' }),
      );
    expect((await branch(large)).status).toBe(413);
    test.model.enqueue(answer.text('fine'));
    const fits = await branch(small);
    expect(fits.status).toBe(200);
    const { messages: answered } = await jsonOf<{ messages: { content: string }[] }>(fits);
    expect(answered.map(({ content }) => content.length)).toEqual([5, 300_000, 4]);
    // The thread is on the branch now, and the other state is as full as before.
    expect((await branch(large)).status).toBe(413);
  });

  it('[state.limit] ends a run after the step that exceeded it, and keeps that step', async () => {
    const threadId = await nearlyFull();
    const before = test.model.requests.length;
    const content = 'x'.repeat(300_000);
    const args = { description: 'long', path: '/mnt/user-data/outputs/long.txt', content };
    test.model.enqueue(answer.toolCalls([{ name: 'write_file', args }]));
    const frames = await streamed(client, threadId, question('go', { stream_mode: ['updates'] }));
    const [error] = frames.flatMap(({ event, data }) => (event === 'error' ? [data] : []));
    expect(error).toMatchObject({ error: 'StateTooLargeError', message: expect.stringMatching(TOO_LARGE) });
    expect(await jsonOf(client.get(`/api/graph/threads/${threadId}/runs`))).toMatchObject({
      runs: [{ status: 'error', stop_reason: 'state_too_large' }],
    });
    const { values } = await jsonOf<StateJson>(client.get(stateOf(threadId)));
    expect(values.messages.map(({ type }) => type)).toEqual(['human', 'human', 'ai', 'tool']);
    expect(test.model.requests).toHaveLength(before + 1);
  });
});

describe('one update', () => {
  it('[state.limit.counts] has tool call ids of at most 4,096 characters', async () => {
    const threadId = await newThread(client);
    const update = (id: string) => [
      { role: 'assistant', content: '', tool_calls: [{ id, name: 'ls', args: {} }] },
      { role: 'tool', content: 'x', tool_call_id: id },
    ];
    const longest = 'i'.repeat(4_096);
    const [call, result] = update(`${longest}i`);
    for (const messages of [[call], [result]]) {
      const refused = await client.post(stateOf(threadId), { values: { messages } });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(await detailOf(refused))).toContain('4096');
    }
    expect((await client.post(stateOf(threadId), { values: { messages: update(longest) } })).status).toBe(
      200,
    );
    const { values } = await jsonOf<StateJson>(client.get(stateOf(threadId)));
    expect(values.messages.at(-1)).toMatchObject({ tool_call_id: longest });
  });

  it('[state.limit.counts] has at most 200 messages, and a message at most 128 tool calls', async () => {
    const threadId = await newThread(client);
    const messages = Array.from({ length: 201 }, () => ({ role: 'user', content: 'x' }));
    const many = await client.post(stateOf(threadId), { values: { messages } });
    expect(many.status).toBe(422);
    expect(JSON.stringify(await detailOf(many))).toContain('At most 200 messages at once');
    const tool_calls = Array.from({ length: 129 }, (_, n) => ({ id: `c${n}`, name: 'ls', args: {} }));
    const calls = [{ role: 'assistant', content: '', tool_calls }];
    for (const answered of [
      await client.post(stateOf(threadId), { values: { messages: calls } }),
      await client.post(`/api/graph/threads/${threadId}/runs`, {
        assistant_id: 'lead_agent',
        input: { messages: calls },
      }),
      await client.post(`/api/graph/threads/${threadId}/runs`, {
        assistant_id: 'lead_agent',
        command: { update: { messages: calls } },
      }),
    ]) {
      expect(answered.status).toBe(422);
      expect(JSON.stringify(await detailOf(answered))).toContain('At most 128 tool calls in one message');
    }
  });
});
