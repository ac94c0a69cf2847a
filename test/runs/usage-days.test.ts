// The usage of a thread and of a person's days (docs/contract/record.md#token-usage).
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { PRICE, tokenUsage, usageDays } from '../support/usage.ts';

const HOUR = 3_600_000;
const EVENING = Date.parse('2026-03-10T23:30:00Z');

let test: TestService;
let now: number;
afterEach(() => test.close());

async function open(scripted: Record<string, unknown> = {}): Promise<HttpClient> {
  now = EVENING;
  test = await openTestService({ scripted: { price: PRICE, ...scripted }, overrides: { now: () => now } });
  return test.user();
}

async function asked(client: HttpClient, threadId: string): Promise<void> {
  test.model.enqueue(answer.text('Hello'));
  await streamed(client, threadId, question('hello'));
}

const uncached = { cached_input_tokens: 0, cached_input_share: 0 };
const sums = { tokens: 15, input_tokens: 10, ...uncached, output_tokens: 5, calls: 1 };
const cost = { amount: 0.00007, currency: 'USD' };

describe('the usage of a thread', () => {
  it('[usage.thread] is the sum over its ended runs', async () => {
    const client = await open();
    const threadId = await newThread(client);
    const empty = { total_runs: 0, total_tokens: 0, by_model: {}, context_usage: null, cost: null };
    expect(await tokenUsage(client, threadId)).toMatchObject(empty);
    await asked(client, threadId);
    await asked(client, threadId);
    expect(await tokenUsage(client, threadId)).toEqual({
      thread_id: threadId,
      total_runs: 2,
      total_tokens: 30,
      total_input_tokens: 20,
      total_cached_input_tokens: 0,
      cached_input_share: 0,
      total_output_tokens: 10,
      by_model: {
        scripted: {
          ...{ tokens: 30, input_tokens: 20, ...uncached, output_tokens: 10, calls: 2, runs: 2 },
          cost: { amount: 0.00014, currency: 'USD' },
        },
      },
      by_caller: { lead_agent: 30, subagent: 0, middleware: 0 },
      context_usage: null,
      cost: { amount: 0.00014, currency: 'USD' },
    });
  });

  it('[usage.thread.context] shows how full the window of the model was', async () => {
    const client = await open({ context_window: 40_000 });
    const threadId = await newThread(client);
    await asked(client, threadId);
    const context_usage = { tokens: 10, context_window: 40_000, ratio: 0.00025 };
    expect(await tokenUsage(client, threadId)).toMatchObject({ context_usage });
  });

  it('[usage.owner] is absent for others', async () => {
    const client = await open();
    const threadId = await newThread(client);
    await asked(client, threadId);
    const other = await test.user();
    expect((await other.get(`/api/threads/${threadId}/token-usage`)).status).toBe(404);
    expect((await usageDays(other)).total).toMatchObject({ tokens: 0, cost: null });
  });
});

describe("a person's days", () => {
  it('[usage.days] has every day of the range, in UTC, with its models', async () => {
    const client = await open();
    const threadId = await newThread(client);
    await asked(client, threadId);
    now += HOUR;
    await asked(client, threadId);
    const usage = await usageDays(client, '?from=2026-03-09&to=2026-03-11');
    const empty = {
      ...sums,
      cached_input_share: null,
      tokens: 0,
      input_tokens: 0,
      output_tokens: 0,
      calls: 0,
      cost: null,
    };
    const one = { ...sums, cost };
    expect(usage.days).toEqual([
      { date: '2026-03-09', ...empty, by_model: {} },
      { date: '2026-03-10', ...one, by_model: { scripted: one } },
      { date: '2026-03-11', ...one, by_model: { scripted: one } },
    ]);
    expect(usage.total).toMatchObject({ tokens: 30, calls: 2 });
    expect(usage.by_model).toMatchObject({ scripted: { tokens: 30, calls: 2 } });
    await client.delete(`/api/threads/${threadId}`);
    expect((await usageDays(client)).total).toMatchObject({ tokens: 30 });
  });

  it('[usage.days.range] is the last thirty days unless it is given', async () => {
    const client = await open();
    const { from, to, days } = await usageDays(client);
    expect([from, to, days.length]).toEqual(['2026-02-09', '2026-03-10', 30]);
    expect(await usageDays(client, '?from=2026-03-08')).toMatchObject({ to: '2026-03-10' });
    expect(await usageDays(client, '?from=2027-03-08')).toMatchObject({ to: '2027-03-08' });
    expect((await usageDays(client, '?from=2025-03-10')).days).toHaveLength(366);
  });

  it.each([
    ['from=2026-02-30'],
    ['from=10.3.2026'],
    ['to=tomorrow'],
    ['from=2026-03-11&to=2026-03-10'],
    ['from=2025-03-09&to=2026-03-10'],
    ['from=0000-00-00'],
    ['from=2026-03-01&from=2026-03-02'],
  ])('[usage.days.range] refuses %s', async (query) => {
    const client = await open();
    const answered = await client.get(`/api/usage?${query}`);
    expect(answered.status).toBe(422);
    expect(await answered.json()).toMatchObject({ detail: [{ loc: ['query', expect.any(String)] }] });
  });
});
