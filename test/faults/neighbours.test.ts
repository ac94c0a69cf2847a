// A person's long conversation does not delay the streams of others.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { fillThread, neighbourlyAnswer, watchStream } from './neighbour.ts';
import type { Afterwards } from './through-proxy.ts';

/** 5,000 messages, which `bench/neighbours.ts` has in 1,000 turns. */
const SIZE = { turns: 100, ofTurn: 50 };
const LONGEST_MS = 100;

async function open(name: 'SQLite' | 'Postgres', afterwards: Afterwards) {
  const postgres = name === 'Postgres' ? await openTestPostgres() : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'neighbours-'));
  const url = postgres?.url ?? `sqlite:${join(folder, 'service.db')}`;
  const test = await openTestService({ config: { database: { url } } });
  afterwards(async () => {
    await test.close();
    await postgres?.close();
    await rm(folder, { recursive: true, force: true });
  });
  test.model.onRequest(neighbourlyAnswer);
  return { test, url };
}

/** Creates a neighbour with a long thread. */
async function neighbour(test: TestService) {
  const client = await test.user();
  const threadId = await newThread(client);
  const filled = await fillThread(client, threadId, SIZE);
  return { client, path: `/api/graph/threads/${threadId}`, threadId, ...filled };
}

/** Returns the neighbour's acts; each is finished when its promise resolves. */
function actsOf({ client, path, threadId, checkpoints, messages }: Awaited<ReturnType<typeof neighbour>>) {
  const removed = messages.slice(0, 200).map((id) => ({ type: 'remove', id }));
  return [
    ['200 messages removed', () => posted(client, `${path}/state`, { values: { messages: removed } })],
    [
      'a branch at the first turn',
      () => streamed(client, threadId, question('hi', { checkpoint_id: checkpoints[0] })),
    ],
    ['the thread deleted', () => client.delete(path).then(({ status }) => expect(status).toBe(204))],
  ] as const;
}

async function posted(client: HttpClient, path: string, body: unknown): Promise<void> {
  const response = await client.post(path, body);
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

it.for(['SQLite', 'Postgres'] as const)(
  '[neighbours.long-thread] removals, a branch and a deletion of 5,000 messages leave others their pace, on %s',
  async (name, { onTestFinished }) => {
    const { test } = await open(name, onTestFinished);
    const busy = await neighbour(test);
    const watched = await watchStream(await test.user());
    for (const [act, work] of actsOf(busy)) {
      await watched.since();
      await work();
      const { longestWork } = await watched.since();
      expect(longestWork, act).toBeLessThan(LONGEST_MS);
    }
    await watched.stop();
  },
);

it('[neighbours.lock] a locked thread waits alone: other streams continue, and its own does after the release', async ({
  onTestFinished,
}) => {
  const { test, url } = await open('Postgres', onTestFinished);
  const client = await test.user();
  const threadId = await newThread(client);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  onTestFinished(() => holder.end());
  const watched = await watchStream(await test.user());
  const path = `/api/graph/threads/${threadId}/runs`;
  test.model.onRequest(async (request) => {
    if (request.lastUserText === 'held')
      await holder.query(`begin; select from threads where thread_id = '${threadId}' for update`);
    return neighbourlyAnswer(request);
  });
  const { run_id: runId } = await jsonOf<RunJson>(client.post(path, question('held')));
  await expect.poll(() => test.model.requests.length).toBe(2);
  // Its reply arrives long before the other stream has this many tokens.
  await watched.tokens(100);
  expect(await jsonOf<RunJson>(client.get(`${path}/${runId}`))).toMatchObject({ status: 'running' });
  await holder.query('commit');
  await (await client.get(`${path}/${runId}/join`)).text();
  expect(await jsonOf<RunJson>(client.get(`${path}/${runId}`))).toMatchObject({
    status: 'success',
    attempt: 1,
  });
  await watched.stop();
});
