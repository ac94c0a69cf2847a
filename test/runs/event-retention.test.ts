// Retention of run events by category.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';

const DAY_MS = 86_400_000;

it('[retention.events] traces go after their days, everything else stays, and the file shrinks', async () => {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  const path = join(dataHome, 'service.db');
  const clock = { ahead: 0 };
  const open = () =>
    openTestService({
      dataHome,
      config: { database: { url: `sqlite:${path}` }, runs: { retention: { trace_days: 7 } } },
      overrides: { now: () => Date.now() + clock.ahead },
    });
  const test = await open();
  const client = await test.user();
  const threadId = await newThread(client);
  const long = () => Array.from({ length: 2_000 }, () => Math.random().toString(36)).join(' ');
  // A trace repeats the reply, so that what goes is far more than what the index of words may add.
  test.model.onRequest(() => answer.text(long()));
  for (let n = 0; n < 40; n++) await streamed(client, threadId, question('go on'));
  const listing = () => jsonOf<unknown>(client.get(`/api/threads/${threadId}/messages?limit=200`));
  const runs = () => jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=100`));
  const before = { listing: await listing(), runs: await runs() };
  await test.close();

  const rows = (condition: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const { n } = database.prepare(`select count(*) as n from ${condition}`).get() ?? {};
    database.close();
    return Number(n);
  };
  const count = (category: string) => rows(`run_events where category = '${category}'`);
  const messages = count('message');
  expect(count('trace')).toBeGreaterThan(0);
  clock.ahead = 6 * DAY_MS;
  const sooner = await open();
  // Old streams go as well, and must not be what shrinks the file.
  await expect.poll(() => rows('runs where frames_pruned = 0')).toBe(0);
  await sooner.close();
  expect(count('trace')).toBeGreaterThan(0);
  const size = (await stat(path)).size;

  clock.ahead = 6.9 * DAY_MS + 0.2 * DAY_MS;
  const later = await open();
  later.model.onRequest(() => answer.text('OK'));
  await expect.poll(() => count('trace')).toBe(0);
  expect(count('message')).toBe(messages);
  const again = await later.user('user1');
  const seen = (path_: string) => jsonOf<unknown>(again.get(path_));
  expect(await seen(`/api/threads/${threadId}/messages?limit=200`)).toEqual(before.listing);
  expect(await seen(`/api/graph/threads/${threadId}/runs?limit=100`)).toEqual(before.runs);
  await streamed(again, threadId, question('still going'));
  await later.close();
  expect((await stat(path)).size).toBeLessThan(size);
  await rm(dataHome, { recursive: true, force: true });
});
