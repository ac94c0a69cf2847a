// Budgets of a run and of a person's day, reserved before each model call.
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { ls, task, taskOf } from '../support/scripted-subagents.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';
import { lastRun, PRICE, usageDays } from '../support/usage.ts';

const EVENING = Date.parse('2026-03-10T18:30:00Z');

let test: TestService;
let now: number;
afterEach(() => test.close());

async function open(budgets: object, scripted: object = {}): Promise<HttpClient> {
  now = EVENING;
  test = await openTestService({
    config: { budgets },
    scripted: { max_tokens: 100, price: PRICE, ...scripted },
    overrides: { now: () => now },
  });
  return test.user();
}

/** Returns a reply with this usage; a tenth of the tokens are completion tokens. */
function took(
  tokens: number,
  of: (end: { usage: { prompt: number; completion: number } }) => Answer,
): Answer {
  return of({ usage: { prompt: tokens * 0.9, completion: tokens * 0.1 } });
}
const says = (tokens: number) => took(tokens, (end) => answer.text('Hello', end));
const looks = (tokens: number) => took(tokens, (end) => answer.toolCalls([ls('c1')], end));

async function ask(client: HttpClient, fields: Record<string, unknown> = {}) {
  const threadId = await newThread(client);
  const frames = await streamed(client, threadId, question('hello', fields));
  return { frames, run: await lastRun(client, threadId) };
}

describe('the budget of a run', () => {
  it('[budgets.run] ends it before the call that may not fit, with a sentence', async () => {
    const client = await open({ per_run: { tokens: 19_000 } });
    test.model.enqueue(looks(9_000), looks(9_500), says(10));
    const { frames, run } = await ask(client);
    expect(run).toMatchObject({ status: 'error', stop_reason: 'budget_exhausted', total_tokens: 18_500 });
    expect(run.error).toMatch(
      /^The budget of this run is reached: 18,500 of 19,000 tokens are spent or set aside, and the next step may need [\d,]+\. Send another message/,
    );
    const failure = { error: 'BudgetExhaustedError', message: run.error, budget: 'run' };
    expect(dataOf(frames, 'error')).toEqual([failure]);
    expect(test.model.requests).toHaveLength(2);
    test.model.enqueue(says(10));
    expect((await ask(client)).run).toMatchObject({ status: 'success' });
  });

  it('[budgets.run] may be in money', async () => {
    const client = await open({ per_run: { cost: 0.028 } });
    test.model.enqueue(looks(9_000));
    const { run } = await ask(client);
    expect(run).toMatchObject({ stop_reason: 'budget_exhausted', cost: { amount: 0.0252 } });
    expect(run.error).toMatch(
      /0\.0252 of 0\.028 USD are spent or set aside, and the next step may need 0\.00\d+\./,
    );
  });

  it('[budgets.subagents] holds for sub-agents that work concurrently', async () => {
    const client = await open({ per_run: { tokens: 14_000 } });
    const gate = Promise.withResolvers<void>();
    const usage = { prompt: 300, completion: 1 };
    const waits = answer.script(
      step.until(gate.promise),
      step.text('done'),
      step.finish(),
      step.usage(usage),
      step.done(),
    );
    const isAskedFirst = () => test.model.requests.length === 1;
    test.model.onRequest((request) => {
      if (taskOf(request) !== '') return waits;
      const tasks = [task('c1'), task('c2'), task('c3')];
      return isAskedFirst()
        ? answer.toolCalls(tasks, { usage: { prompt: 12_000, completion: 0 } })
        : answer.text('end', { usage });
    });
    const asked = ask(client);
    await test.model.requested(2);
    gate.resolve();
    const { frames, run } = await asked;
    const calls = test.model.requests.filter((request) => taskOf(request) !== '');
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.length).toBeLessThan(3);
    expect(JSON.stringify(frames.at(-2)?.data)).toContain('The budget of this run is reached');
    expect(run.total_tokens).toBeLessThanOrEqual(14_000);
  });
});

describe("the budget of a person's day", () => {
  it('[budgets.day] ends runs until midnight UTC, and reports when there is more', async () => {
    const client = await open({ per_user_day: { tokens: 19_000 } });
    test.model.enqueue(says(18_000));
    expect((await ask(client)).run).toMatchObject({ status: 'success' });
    const { run, frames } = await ask(client);
    expect(run).toMatchObject({ status: 'error', stop_reason: 'budget_exhausted', llm_call_count: 0 });
    expect(run.error).toMatch(
      /^Your budget for today is reached: 18,000 of 19,000 tokens .* A new one starts at 00:00 UTC, in 6 hours\.$/,
    );
    expect(dataOf(frames, 'error')).toMatchObject([{ budget: 'user_day' }]);
    const recorded = `/api/threads/${run.thread_id}/runs/${run.run_id}/events?event_types=run_error`;
    expect(await jsonOf(client.get(recorded))).toMatchObject([{ metadata: { budget: 'user_day' } }]);
    expect(frames.at(-1)?.event).toBe('end');
    const other = await test.user();
    test.model.enqueue(says(10), says(10));
    expect((await ask(other)).run).toMatchObject({ status: 'success' });
    now += 6 * 3_600_000;
    expect((await ask(client)).run).toMatchObject({ status: 'success' });
  });

  it('[budgets.day] is shown with the usage', async () => {
    const client = await open({ per_user_day: { tokens: 20_000, cost: 2 } });
    test.model.enqueue(says(1_000));
    await ask(client);
    expect(await usageDays(client)).toMatchObject({
      budget: {
        tokens: { limit: 20_000, used: 1_000 },
        cost: { limit: 2, used: 0.0028, currency: 'USD' },
        resets_at: '2026-03-11T00:00:00.000+00:00',
      },
    });
  });

  it('[budgets.concurrent] holds for concurrent runs', async () => {
    const client = await open({ per_user_day: { tokens: 5_000 } });
    const gate = Promise.withResolvers<void>();
    const waits = answer.script(
      step.until(gate.promise),
      step.text('done'),
      step.finish(),
      step.usage({ prompt: 300, completion: 1 }),
      step.done(),
    );
    test.model.onRequest(() => waits);
    const asked = Array.from({ length: 6 }, () => ask(client));
    await test.model.requested(1);
    const refused = Promise.withResolvers<void>();
    let ended = 0;
    for (const one of asked) void one.then(() => ++ended === 1 && refused.resolve());
    await refused.promise;
    gate.resolve();
    const runs = (await Promise.all(asked)).map(({ run }) => run);
    const reasons = runs.map((run) => run.stop_reason);
    expect(reasons).toContain('completed');
    expect(reasons).toContain('budget_exhausted');
    expect(runs.reduce((sum, run) => sum + run.total_tokens, 0)).toBeLessThanOrEqual(5_000);
    test.model.onRequest(() => says(10));
    expect((await ask(client)).run).toMatchObject({ status: 'success' });
  });

  it('[budgets.released] releases the reservation of a failed or cancelled call', async () => {
    const client = await open({ per_user_day: { tokens: 6_000 } });
    test.model.enqueue(answer.unauthorized(), answer.unauthorized(), says(10));
    expect((await ask(client)).run).toMatchObject({ stop_reason: 'model_error' });
    expect((await ask(client)).run).toMatchObject({ stop_reason: 'model_error' });
    expect((await ask(client)).run).toMatchObject({ status: 'success' });
  });
});
