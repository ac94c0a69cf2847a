// Runs that fail: every stream still ends once, and the person reads why
// (docs/contract/runs.md#why-runs-end).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModels } from '../../src/models/create-models.ts';
import { modelsOptionsSchema } from '../../src/models/model-options.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { MODES } from '../support/run-stream.ts';
import {
  newThread,
  openTestService,
  QUICK_RETRIES,
  question,
  streamed,
  type TestService,
} from '../support/service.ts';
import { dataOf, type TestFrame } from '../support/sse.ts';

const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

async function lastRun(client: Awaited<ReturnType<TestService['user']>>, threadId: string) {
  const [run] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
  return run;
}

/** `error` right before `end`, each once. */
function expectFailure(frames: readonly TestFrame[], error: string): string {
  expect(frames.slice(-2).map(({ event }) => event)).toEqual(['error', 'end']);
  expect(frames.filter(({ event }) => event === 'error' || event === 'end')).toHaveLength(2);
  const [data] = dataOf<{ error: string; message: string }>(frames, 'error');
  expect(data?.error).toBe(error);
  return data?.message ?? '';
}

describe('a run that fails', () => {
  it('[runs.fail.set-up] for an unknown model ends with error and end, and keeps the question', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const body = question('hi', { config: { configurable: { model_name: 'nonsense' } } });
    const frames = await streamed(client, threadId, body);
    expect(frames[0]?.event).toBe('metadata');
    const message = expectFailure(frames, 'SetUpError');
    expect(message).toContain("no model named 'nonsense'");
    expect(message).toContain('scripted');
    expect(await lastRun(client, threadId)).toMatchObject({
      status: 'error',
      stop_reason: 'set_up_failed',
      error: message,
    });
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.map(({ content }) => content)).toEqual(['hi']);
  });

  it('[runs.fail.model] for a refused key ends as model_error with a sentence and without the key', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.unauthorized());
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    expectFailure(frames, 'ModelError');
    expect(await lastRun(client, threadId)).toMatchObject({ status: 'error', stop_reason: 'model_error' });
    const everything = JSON.stringify([frames, test.complaints, await lastRun(client, threadId)]);
    expect(everything).not.toContain('CANARY-model-key');
  });

  it('[runs.fail.overflow] for too long a prompt ends as context_overflow', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.contextOverflow());
    expectFailure(await streamed(client, threadId, question('hi')), 'ContextOverflowError');
    expect(await lastRun(client, threadId)).toMatchObject({ stop_reason: 'context_overflow' });
  });

  it('[runs.fail.unreachable] for an unreachable model ends with error and end', async () => {
    const stopped = await startModelServer();
    await stopped.close();
    const models = modelsOptionsSchema.parse([
      { name: 'gone', provider: 'openai-compatible', model: 'x', base_url: stopped.url },
    ]);
    const unreachable = await openTestService({
      models: createModels(models, { backoff: QUICK_RETRIES }),
    });
    try {
      const client = await unreachable.user();
      const frames = await streamed(client, await newThread(client), question('hi', { stream_mode: MODES }));
      expectFailure(frames, 'ModelError');
      expect(dataOf<{ type: string }>(frames, 'custom').map(({ type }) => type)).toEqual([
        'llm_retry',
        'llm_retry',
      ]);
    } finally {
      await unreachable.close();
    }
  });

  it('[runs.fail.wait] makes wait and join return 200 {"__error__"}', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.unauthorized());
    const waited = await client.post(`/api/graph/threads/${threadId}/runs/wait`, question('hi'));
    expect(waited.status).toBe(200);
    const body = await waited.json();
    expect(body).toEqual({ __error__: { error: 'ModelError', message: expect.any(String) } });
    const run = await lastRun(client, threadId);
    expect(await jsonOf(client.get(`/api/graph/threads/${threadId}/runs/${run?.run_id}/join`))).toEqual(body);
  });

  it('[runs.limit] stops after recursion_limit steps, 25 by default under /api/graph and 100 under /api', async () => {
    const client = await test.user();
    let asked = 0;
    test.model.onRequest(() =>
      answer.toolCalls([{ ...look, args: { ...look.args, path: `/mnt/${asked++}` } }]),
    );
    const limits = [
      { prefix: '/api/graph', body: question('go'), steps: 25 },
      { prefix: '/api', body: question('go'), steps: 100 },
      { prefix: '/api', body: question('go', { config: { recursion_limit: 3 } }), steps: 3 },
    ];
    for (const { prefix, body, steps } of limits) {
      const before = test.model.requests.length;
      const threadId = await newThread(client);
      const waited = await jsonOf(client.post(`${prefix}/threads/${threadId}/runs/wait`, body));
      expect(waited).toMatchObject({ __error__: { error: 'GraphRecursionError' } });
      expect(test.model.requests.length - before).toBe(Math.ceil(steps / 2));
      expect(await lastRun(client, threadId)).toMatchObject({ status: 'error', stop_reason: 'max_steps' });
    }
  });
});

describe('a model that misbehaves', () => {
  it('[runs.model.broken] breaks off: it is called once more, under the same message id', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.endWithoutFinish('half an'), answer.text('whole answer'));
    const frames = await streamed(client, threadId, question('hi', { stream_mode: MODES }));
    const messages = dataOf<[{ id: string; type: string; content?: string }]>(frames, 'messages').map(
      ([it]) => it,
    );
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
    const restart = messages.findIndex(({ type }) => type === 'remove');
    expect(
      messages
        .slice(restart + 1)
        .map(({ content }) => content)
        .join(''),
    ).toBe('whole answer');
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.map(({ content }) => content)).toEqual(['hi', 'whole answer']);
  });

  it('[runs.model.broken.twice] breaks off twice: the run fails, its text is kept, its tool calls are not', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.truncatedToolJson(), answer.endWithoutFinish('only half'));
    expectFailure(await streamed(client, threadId, question('hi', { stream_mode: MODES })), 'ModelError');
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.at(-1)).toMatchObject({ type: 'ai', content: 'only half', tool_calls: [] });
    test.model.enqueue(answer.text('and on'));
    const next = await streamed(client, threadId, question('go on'));
    expect(next.at(-1)?.event).toBe('end');
    expect((await lastRun(client, threadId))?.status).toBe('success');
  });
});

describe('tools that cannot run', () => {
  it('[agent.tools.errors] unknown names and bad arguments become error results, in the order of the calls', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(
      answer.toolCalls([
        { name: 'nonsense', args: {} },
        { name: 'read_file', args: { description: 'x', path: 7 } },
        look,
      ]),
      answer.text('I see'),
    );
    await streamed(client, threadId, question('go'));
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    const results = state.values.messages.filter(({ type }) => type === 'tool');
    expect(results.map(({ name, status }) => [name, status])).toEqual([
      ['nonsense', 'error'],
      ['read_file', 'error'],
      ['ls', 'success'],
    ]);
    expect(results[0]?.content).toContain("no tool named 'nonsense'");
    expect(results[1]?.content).toContain('path');
  });

  it('[agent.clarification] ask_clarification ends the run as interrupted, and the next message continues', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const args = { question: 'Which file?', clarification_type: 'missing_info', options: ['a.md', 'b.md'] };
    test.model.enqueue(answer.toolCalls([{ name: 'ask_clarification', args }]));
    const frames = await streamed(client, threadId, question('delete it'));
    expect(frames.at(-1)?.event).toBe('end');
    expect(await lastRun(client, threadId)).toMatchObject({
      status: 'interrupted',
      stop_reason: 'awaiting_input',
      error: null,
    });
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.next).toEqual([]);
    expect(state.values.messages.at(-1)).toMatchObject({
      type: 'tool',
      name: 'ask_clarification',
      artifact: { human_input: { kind: 'human_input_request', question: 'Which file?' } },
    });
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({ status: 'interrupted' });
    test.model.enqueue(answer.text('Done'));
    await streamed(client, threadId, question('a.md'));
    expect((await lastRun(client, threadId))?.status).toBe('success');
  });
});
