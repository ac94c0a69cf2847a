// kill -9 and SIGTERM while a model call holds a reservation of the day: it is settled once, and none
// remains.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { answer } from '../support/model-server/answer.ts';
import { usageDays } from '../support/usage.ts';
import { crashTests } from './crash-tests.ts';
import { brokenInvariants } from './invariants.ts';
import { createStubbornClient } from './stubborn-client.ts';
import { readThread } from './thread-evidence.ts';

const USAGE = { prompt: 20, completion: 10 };
/** A call reserves more than half of the day, so that two reservations do not fit. */
const LIMIT = 24_000;
const ANSWER_LIMIT = 12_000;

const crash = crashTests(({ url }) => ({
  models: [
    {
      name: 'scripted',
      provider: 'openai-compatible',
      model: 'scripted-1',
      base_url: url,
      max_tokens: ANSWER_LIMIT,
    },
  ],
  budgets: { per_user_day: { tokens: LIMIT } },
  runs: { drain_ms: 1 },
}));

const look = { name: 'look', args: { what: 'it' }, id: 'call_look' };

/** Returns the reservations in the file. */
function setAside(): number {
  const database = new DatabaseSync(join(crash.process.dataHome, 'service.db'), {
    readOnly: true,
    timeout: 5_000,
  });
  try {
    return Number(database.prepare('select count(*) as n from budget_reservations').get()?.n);
  } finally {
    database.close();
  }
}

/** Asks a question that takes two model calls, and checks that their usage is counted once everywhere. */
async function expectSettled(disturb: () => Promise<void> | void): Promise<void> {
  await crash.process.up();
  const client = await createStubbornClient(crash.process);
  const threadId = await client.newThread();
  crash.model.onRequest(({ body }) =>
    JSON.stringify(body.messages).includes('"tool"')
      ? answer.text('Done.', { usage: USAGE })
      : answer.toolCalls([look], { usage: USAGE }),
  );
  await disturb();
  const { runId, frames } = await client.ask(threadId, 'look at it');
  await crash.process.up();
  const thread = readThread(join(crash.process.dataHome, 'service.db'), threadId);
  const replayed = await client.follow(threadId, runId);
  expect(brokenInvariants(thread, [{ runId, received: frames, replayed }], [])).toEqual([]);
  expect(thread.runs).toMatchObject([{ status: 'success', llmCallCount: 2, totalTokens: 60 }]);
  const counted = await client.persist(() => client.http.get('/api/usage'));
  expect(await counted.json()).toMatchObject({
    total: { tokens: 60, calls: 2 },
    budget: { tokens: { limit: LIMIT, used: 60 } },
  });
  expect(setAside()).toBe(0);
}

const each = (points: readonly string[], occurrences: readonly number[]) =>
  points.flatMap((point) => occurrences.map((occurrence): [string, number] => [point, occurrence]));

describe('reservations of a day', () => {
  const POINTS = [
    ...each(['reserve.before', 'reserve.after', 'model.before', 'model.token', 'model.after'], [1, 2]),
    ...each(['commit.before', 'commit.after'], [1, 2, 3]),
  ];
  it.each(cases(POINTS, ([, occurrence]) => occurrence === 2))(
    '[budgets.dead] [usage.once] are settled once when the service dies: %s %i',
    async (point, occurrence) => {
      const deaths = crash.process.deaths();
      await expectSettled(() => crash.process.arm({ point, occurrence }));
      expect(crash.process.deaths() - deaths, `${point} ${occurrence} was reached`).toBe(1);
    },
  );

  it('[budgets.drained] are released by a service that hands its runs over', async () => {
    await crash.process.up();
    const client = await createStubbornClient(crash.process);
    const threadId = await client.newThread();
    crash.model.onRequest(() => answer.hangMidStream('some words'));
    const asked = client.ask(threadId, 'hello');
    await crash.model.requested(1);
    expect(setAside()).toBe(1);
    expect(await crash.process.stop()).toBe(0);
    expect(setAside()).toBe(0);
    crash.model.onRequest(() => answer.text('Done.', { usage: USAGE }));
    crash.process.start();
    await asked;
    const { runs } = readThread(join(crash.process.dataHome, 'service.db'), threadId);
    expect(runs).toMatchObject([{ status: 'success' }]);
    const { total } = await usageDays(client.http);
    expect(runs[0]?.totalTokens).toBe(total.tokens);
    expect(setAside()).toBe(0);
  });
});
