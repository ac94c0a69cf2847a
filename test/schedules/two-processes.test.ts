// Two services on one PostgreSQL look at the same clock.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { openTestPostgres } from '../support/postgres.ts';
import {
  historyOf,
  MINUTE,
  made,
  openScheduled,
  PATIENCE,
  type ScheduleJson,
  settled,
} from './open-scheduled.ts';

it('[schedules.processes] each slot gives one run, and both of them start some', async () => {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  const postgres = await openTestPostgres();
  const config = { database: { url: postgres.url } };
  const one = await openScheduled({ dataHome, config });
  const two = await openScheduled({ dataHome, config });
  onTestFinished(async () => {
    await Promise.all([one.close(), two.close()]);
    await Promise.all([postgres.close(), rm(dataHome, { recursive: true, force: true })]);
  });
  for (const { model } of [one, two]) model.onRequest(() => answer.text('It is green.'));
  const ann = await one.person('ann');
  const bob = await two.person('bob');
  const all: ScheduleJson[] = [];
  for (let n = 0; n < 8; n += 1) all.push(await made(n % 2 === 0 ? ann : bob, { cron: '*/10 * * * *' }));
  const clientOf = (n: number) => (n % 2 === 0 ? ann : bob);
  for (let slots = 1; slots <= 3; slots += 1) {
    one.clock.now += 10 * MINUTE;
    two.clock.now = one.clock.now;
    for (const [n, it] of all.entries()) await settled(clientOf(n), it, slots);
  }
  const runs = (await Promise.all(all.map((it, n) => historyOf(clientOf(n), it)))).flat();
  expect(runs.filter(({ status }) => status !== 'success')).toEqual([]);
  expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(24);
  expect(one.model.requests.length + two.model.requests.length).toBe(24);
  expect(Math.min(one.model.requests.length, two.model.requests.length)).toBeGreaterThan(0);
  const threads = await jsonOf<object[]>(ann.post('/api/threads/search', { limit: 100 }));
  expect(threads).toHaveLength(12);
  await expect.poll(() => [...one.complaints, ...two.complaints], PATIENCE).toEqual([]);
});
