// Models that reply in place of others, and failing models that are left alone for a while.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createModels } from '../../src/models/create-models.ts';
import { modelsOptionsSchema } from '../../src/models/model-options.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import type { EventJson } from '../support/record-json.ts';
import {
  newThread,
  openTestService,
  QUICK_RETRIES,
  question,
  streamed,
  type TestService,
} from '../support/service.ts';
import { dataOf } from '../support/sse.ts';

const clock = { now: 1_000_000 };
const RESTS_MS = 30_000;
let test: TestService;
let first: ModelServer;
let second: ModelServer;

beforeAll(async () => {
  [first, second] = [await startModelServer(), await startModelServer()];
  const entry = { provider: 'openai-compatible', model: 'm', api_key: 'CANARY-model-key' };
  const entries = modelsOptionsSchema.parse([
    { ...entry, name: 'first', base_url: first.url, supports_thinking: true, fallbacks: ['second', 'third'] },
    { ...entry, name: 'second', base_url: second.url },
    { ...entry, name: 'third', base_url: `${second.url}/third` },
  ]);
  const models = createModels(entries, { backoff: QUICK_RETRIES, now: () => clock.now });
  test = await openTestService({ models });
});
afterEach(async () => {
  // Whatever a test did to it, the first model is called again, and replies.
  clock.now += RESTS_MS;
  scripted([answer.text('well again')], []);
  await run();
  first.reset();
  second.reset();
});
afterAll(async () => {
  await test.close();
  await first.close();
  await second.close();
});

function scripted(ofFirst: readonly Answer[], ofSecond: readonly Answer[]): void {
  first.reset();
  second.reset();
  first.enqueue(...ofFirst);
  second.enqueue(...ofSecond);
}

async function run() {
  const client = await test.user('asker');
  const threadId = await newThread(client);
  const modes = { stream_mode: ['values', 'messages-tuple', 'custom'] };
  const frames = await streamed(client, threadId, question('hi', modes));
  const path = `/api/graph/threads/${threadId}`;
  type Ended = RunJson & { readonly token_usage_by_model: Record<string, { readonly calls: number }> };
  const [ended] = await jsonOf<Ended[]>(client.get(`${path}/runs?limit=1`));
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  const events = await jsonOf<EventJson[]>(
    client.get(`/api/threads/${threadId}/runs/${ended?.run_id}/events?limit=2000`),
  );
  return { frames, ended, events, contents: values.messages.map(({ content }) => content) };
}

const failing = (count: number) => Array.from({ length: count }, () => answer.unauthorized());
const asked = () => [first.requests.length, second.requests.length];

describe('a model that fails before its first token', () => {
  it('[fallbacks.used] is replaced by the next of its fallbacks, which the run counts and records', async () => {
    scripted(failing(1), [answer.text('from the second')]);
    const { ended, events, contents, frames } = await run();
    expect(contents).toEqual(['hi', 'from the second']);
    expect(ended).toMatchObject({ status: 'success', llm_call_count: 1 });
    expect(Object.keys(ended?.token_usage_by_model ?? {})).toEqual(['second']);
    const calls = events.filter(({ event_type }) => /^llm_|^model_fallback/.test(event_type));
    expect(calls.map(({ event_type, metadata }) => [event_type, metadata.model])).toEqual([
      ['llm_request', undefined],
      ['llm_error', 'first'],
      ['model_fallback', 'second'],
      ['llm_request', undefined],
      ['llm_response', 'second'],
    ]);
    expect(calls[2]).toMatchObject({
      content: expect.stringContaining("refused the API key of model 'first'"),
      metadata: { caller: 'lead_agent', failed_model: 'first' },
    });
    expect(dataOf<object>(frames, 'custom')).toEqual([
      { type: 'model_fallback', from: 'first', to: 'second', reason: calls[2]?.content },
    ]);
    expect(events.find(({ event_type }) => event_type === 'ai_message')?.metadata).toMatchObject({
      model_name: 'second',
    });
    expect(second.requests[0]?.body.messages).toEqual(first.requests[0]?.body.messages);
  });

  it('[fallbacks.used] is tried as often as always first', async () => {
    scripted([answer.serverError(), answer.overloaded(), answer.serverError()], [answer.text('second')]);
    expect((await run()).contents).toEqual(['hi', 'second']);
    expect(asked()).toEqual([3, 1]);
  });

  it('[fallbacks.failed] fails the run with a sentence that names all models when all fail', async () => {
    scripted(failing(1), failing(2));
    const { ended } = await run();
    expect(ended).toMatchObject({ status: 'error', stop_reason: 'model_error' });
    expect(ended?.error).toMatch(/model 'third'.*'first', 'second' could not answer either/);
    expect(asked()).toEqual([1, 2]);
  });

  it('[fallbacks.overflow] is not replaced when the prompt is too long for it', async () => {
    scripted([answer.contextOverflow()], []);
    expect((await run()).ended?.stop_reason).toBe('context_overflow');
    expect(asked()).toEqual([1, 0]);
  });
});

describe('a model that fails in the middle', () => {
  it('[fallbacks.begun] keeps its reply: no other model continues it', async () => {
    scripted([answer.breakMidStream('half an'), answer.breakMidStream('half again')], []);
    const { contents, ended } = await run();
    expect(ended).toMatchObject({ status: 'error', stop_reason: 'model_error' });
    expect(contents).toEqual(['hi', 'half again']);
    expect(asked()).toEqual([2, 0]);
  });

  it('[fallbacks.begun] is replaced when its second try yields nothing: the reply starts over', async () => {
    scripted([answer.breakMidStream('half an'), answer.unauthorized()], [answer.text('whole')]);
    const { contents, frames } = await run();
    expect(contents).toEqual(['hi', 'whole']);
    const messages = dataOf<[{ type: string; content?: string }]>(frames, 'messages').map(([it]) => it);
    const restart = messages.findIndex(({ type }) => type === 'remove');
    expect(restart).toBeGreaterThan(0);
    const after = messages.slice(restart + 1).map(({ content }) => content);
    expect(after.join('')).toBe('whole');
  });
});

describe('a model that fails repeatedly', () => {
  it('[fallbacks.breaker] is left alone after three failures, then tried by one call at a time', async () => {
    const three = [answer.text('one'), answer.text('two'), answer.text('three')];
    scripted(failing(3), [...three, answer.text('four')]);
    for (const said of ['one', 'two', 'three', 'four']) expect((await run()).contents[1]).toBe(said);
    expect(asked()).toEqual([3, 4]);

    clock.now += RESTS_MS;
    const gate = Promise.withResolvers<void>();
    first.onRequest(async () => {
      await gate.promise;
      return answer.text('back');
    });
    second.enqueue(answer.text('meanwhile'));
    const probe = run();
    await first.requested(4);
    expect((await run()).contents[1]).toBe('meanwhile');
    gate.resolve();
    expect((await probe).contents[1]).toBe('back');
    expect((await run()).contents[1]).toBe('back');
    expect(asked()).toEqual([5, 5]);
  });

  const refused = (message: string, fields: object = {}) =>
    answer.status(400, { error: { message, type: 'invalid_request_error', ...fields } });
  it.each([
    ['a bad request', refused('messages: text content blocks must be non-empty'), 8],
    ['a filter', refused('The response was filtered', { code: 'content_filter' }), 8],
    ['what cannot be processed', answer.status(422, { detail: 'Unprocessable' }), 8],
    ['no credit', refused('Your credit balance is too low to access the API.'), 3],
    ['a key that is not valid', refused('API key not valid. Please pass a valid API key.'), 3],
    ['a key without rights', answer.status(403, { error: { message: 'Forbidden' } }), 3],
  ])('[fallbacks.breaker.fault] refused for %s', async (_, refusal, asks) => {
    const words = Array.from({ length: 8 }, () => answer.text('second'));
    scripted(Array(8).fill(refusal), words);
    for (const _ of words) expect((await run()).contents[1]).toBe('second');
    expect(asked()).toEqual([asks, 8]);
  });

  it('[fallbacks.breaker] rests again when the probe fails', async () => {
    const words = Array.from({ length: 6 }, () => answer.text('second'));
    scripted(failing(4), words);
    for (const _ of [1, 2, 3]) await run();
    clock.now += RESTS_MS;
    await run();
    await run();
    expect(asked()).toEqual([4, 5]);
  });

  it('[fallbacks.alone] is called all the same when the others are left alone as well', async () => {
    scripted(failing(3), failing(6));
    for (const _ of [1, 2, 3]) expect((await run()).ended?.status).toBe('error');
    const [, before] = asked();
    first.enqueue(answer.text('I am back'));
    expect((await run()).contents[1]).toBe('I am back');
    expect(asked()).toEqual([4, before]);
  });
});
