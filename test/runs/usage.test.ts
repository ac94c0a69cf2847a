// The usage of runs: tokens by caller and model, live, and in money (docs/contract/record.md#token-usage).
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import type { RunJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { MODES, runOf } from '../support/run-stream.ts';
import { ls, oneTask, openScripted } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf, type TestFrame } from '../support/sse.ts';
import { lastRun, PRICE, recorded, tokenUsage, usageDays } from '../support/usage.ts';

let test: TestService;
afterEach(() => test.close());

/** Opens a thread of a new user, with a model that has a price and gives these replies. */
async function open(...replies: readonly Answer[]): Promise<{ client: HttpClient; threadId: string }> {
  test = await openTestService({ scripted: { price: PRICE } });
  test.model.enqueue(...replies);
  const client = await test.user();
  return { client, threadId: await newThread(client) };
}

const responses = (client: HttpClient, threadId: string) =>
  recorded(test, client, { threadId, types: ['llm_response', 'llm_error'] });

/** Asks, and cancels the run once this text has appeared. */
async function cancelledAt(client: HttpClient, threadId: string, text: string): Promise<RunJson> {
  const body = question('tell me a story', { stream_mode: MODES });
  const response = await client.post(`/api/graph/threads/${threadId}/runs/stream`, body);
  const frames: TestFrame[] = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (frame.event === 'messages' && JSON.stringify(frame.data).includes(text))
      await client.post(`/api/graph/threads/${threadId}/runs/${runOf(frames)}/cancel`);
  }
  return lastRun(client, threadId);
}

describe('the usage of a run', () => {
  it('[usage.run.live] can be read while it runs', async () => {
    const gate = Promise.withResolvers<void>();
    const { client, threadId } = await open(
      answer.toolCalls([ls('c1')]),
      answer.script(step.until(gate.promise), step.text('done'), step.finish(), step.done()),
    );
    const running = streamed(client, threadId, question('look'));
    await test.model.requested(2);
    const live = { total_tokens: 15, llm_call_count: 1, lead_agent_tokens: 15 };
    expect(await lastRun(client, threadId)).toMatchObject({ status: 'running', ...live });
    gate.resolve();
    await running;
    expect(await lastRun(client, threadId)).toMatchObject({ status: 'success', llm_call_count: 2 });
  });

  it('[usage.run] separates sub-agents from the lead agent', async () => {
    test = await openScripted(oneTask(), { 'do c1': [answer.text('done')] });
    const client = await test.user();
    const threadId = await newThread(client);
    await streamed(client, threadId, question('delegate'));
    expect(await lastRun(client, threadId)).toMatchObject({
      total_tokens: 45,
      lead_agent_tokens: 30,
      subagent_tokens: 15,
      middleware_tokens: 0,
      token_usage_by_model: { scripted: { tokens: 45, calls: 3 } },
    });
  });

  it('[usage.cost] has the cost of its tokens, less for cached ones', async () => {
    const { client, threadId } = await open(
      answer.text('Hello', { usage: { prompt: 1_000, completion: 100, cached: 400 } }),
    );
    await streamed(client, threadId, question('hello'));
    const cost = { amount: 0.00228, currency: 'USD' };
    expect(await lastRun(client, threadId)).toMatchObject({
      cost,
      token_usage_by_model: {
        scripted: { tokens: 1_100, input_tokens: 1_000, cached_input_tokens: 400, calls: 1, cost },
      },
    });
    expect(await tokenUsage(client, threadId)).toMatchObject({ cost });
    expect(await usageDays(client)).toMatchObject({ total: { cost }, by_model: { scripted: { cost } } });
    expect(await responses(client, threadId)).toMatchObject([{ metadata: { cost } }]);
  });

  it('[usage.cached] shows the share of the prompts that the provider had cached', async () => {
    const { client, threadId } = await open(
      answer.text('Hello', { usage: { prompt: 1_000, completion: 100, cached: 0 } }),
      answer.text('again', { usage: { prompt: 3_000, completion: 100, cached: 2_400 } }),
    );
    await streamed(client, threadId, question('hello'));
    expect(await lastRun(client, threadId)).toMatchObject({
      total_cached_input_tokens: 0,
      cached_input_share: 0,
    });
    await streamed(client, threadId, question('hello again'));
    expect(await lastRun(client, threadId)).toMatchObject({
      total_cached_input_tokens: 2_400,
      cached_input_share: 0.8,
      token_usage_by_model: { scripted: { cached_input_share: 0.8 } },
    });
    const both = { total_cached_input_tokens: 2_400, cached_input_share: 0.6 };
    expect(await tokenUsage(client, threadId)).toMatchObject(both);
    const { total } = await usageDays(client);
    expect(total).toMatchObject({ cached_input_tokens: 2_400, cached_input_share: 0.6 });
    const fresh = await newThread(client);
    const none = { total_cached_input_tokens: 0, cached_input_share: null };
    expect(await tokenUsage(client, fresh)).toMatchObject(none);
  });

  it('[usage.cost] has null as its cost without a price', async () => {
    test = await openTestService();
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    await streamed(client, threadId, question('hello'));
    expect(await lastRun(client, threadId)).toMatchObject({ cost: null, total_tokens: 15 });
  });

  it('[usage.cancelled] is estimated for a cancelled call, and marked so', async () => {
    const { client, threadId } = await open(answer.hangMidStream('some words that were said before the end'));
    const run = await cancelledAt(client, threadId, ' end');
    expect(run).toMatchObject({ status: 'interrupted', llm_call_count: 1, total_output_tokens: 10 });
    const { total_tokens: tokens } = run;
    expect(tokens).toBeGreaterThan(100);
    expect(await tokenUsage(client, threadId)).toMatchObject({ total_runs: 1, total_tokens: tokens });
    expect((await usageDays(client)).total).toMatchObject({ tokens, calls: 1 });
    expect(await responses(client, threadId)).toMatchObject([
      {
        eventType: 'llm_response',
        content: { choices: [{ finish_reason: 'interrupted' }] },
        metadata: { usage: { total_tokens: tokens }, usage_estimated: true },
      },
    ]);
  });

  it('[usage.cancelled] [usage.once] counts both tries of a reply that broke off', async () => {
    const { client, threadId } = await open(answer.endWithoutFinish('half an'), answer.text('Hello'));
    await streamed(client, threadId, question('hello'));
    const run = await lastRun(client, threadId);
    const record = await responses(client, threadId);
    expect(record).toMatchObject([
      { eventType: 'llm_error', metadata: { usage_estimated: true } },
      { eventType: 'llm_response', metadata: { usage: { total_tokens: 15 } } },
    ]);
    const counted = record.map(({ metadata }) => (metadata.usage as { total_tokens: number }).total_tokens);
    expect(run).toMatchObject({ total_tokens: counted.reduce((a, b) => a + b), llm_call_count: 2 });
  });

  it('[usage.uncounted] is estimated for a provider that does not count', async () => {
    const { client, threadId } = await open(answer.script(step.text('Hello!'), step.finish(), step.done()));
    await streamed(client, threadId, question('hello'));
    const run = await lastRun(client, threadId);
    expect(run).toMatchObject({ total_output_tokens: 2, llm_call_count: 1 });
    expect(run.total_input_tokens).toBeGreaterThan(100);
    expect(await responses(client, threadId)).toMatchObject([{ metadata: { usage_estimated: true } }]);
  });
});
