// A database that is locked by others, or whose disk is full from the n-th write on (fault.F20, F21).
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, framesOf, type TestFrame } from '../support/sse.ts';
import { type AtPoint, storageWithPoints } from './crash-points.ts';
import { openHolder } from './database-holder.ts';

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'kept' },
};

let test: TestService;
afterEach(() => test.close());

it('[fault.F20] a backup tool that blocks the database: everything waits, nothing fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'locked-'));
  const path = join(folder, 'service.db');
  test = await openTestService({ config: { database: { url: `sqlite:${path}` } } });
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.onRequest(() => answer.text('fine'));
  const backup = openHolder(path);
  for (let round = 0; round < 3; round++) {
    await backup.hold();
    const asked = streamed(client, threadId, question(`q${round}`));
    await new Promise((resolve) => setTimeout(resolve, 100));
    backup.letGo();
    // A long reader does not even block it.
    backup.read('select count(*) from runs');
    expect((await asked).at(-1)?.event).toBe('end');
    backup.letGo();
  }
  backup.close();
  const runs = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=10`));
  expect(runs.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  await rm(folder, { recursive: true, force: true });
});

it('[fault.F21] a disk that is full at the n-th write: new runs are refused, running ones wait and continue', async () => {
  let writes = 0;
  let fullFrom = Number.POSITIVE_INFINITY;
  let refused = Promise.withResolvers<void>();
  const at: AtPoint = (name) => {
    if (!name.endsWith('.before') || ++writes < fullFrom) return undefined;
    refused.resolve();
    return Promise.reject(unavailable('The disk of the database is full; free some space and try again.'));
  };
  const storage = storageWithPoints(await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG }), at);
  test = await openTestService({ overrides: { storage }, config: { runs: { lease_renewal_ms: 50 } } });
  const client = await test.user();
  const accepted = async (send: () => Promise<Response>): Promise<Response> => {
    for (;;) {
      const response = await send();
      if (response.status !== 503) return response;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const converse = async (): Promise<readonly string[]> => {
    test.model.enqueue(answer.toolCalls([write]), answer.text('Written'));
    const { thread_id: threadId } = await jsonOf<{ thread_id: string }>(
      accepted(() => client.post('/api/graph/threads', { metadata: {} })),
    );
    const path = `/api/graph/threads/${threadId}/runs/stream`;
    await allFrames(await accepted(() => client.post(path, question('note it'))));
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    return state.values.messages.map(({ type, content }) => `${type} ${content}`);
  };
  writes = 0;
  const usual = await converse();
  const usualWrites = writes;
  let last = 0;
  for (let n = 1; n <= usualWrites; n++) {
    writes = 0;
    fullFrom = n;
    refused = Promise.withResolvers();
    const conversation = converse();
    await Promise.race([refused.promise, conversation]);
    // On a slow machine the first conversation renewed its lease more often than this one.
    if (writes < n) break;
    last = n;
    const other = await client.post('/api/graph/runs', question('another one'));
    expect(other.status).toBe(503);
    expect(await other.json()).toMatchObject({ detail: expect.stringContaining('disk') });
    fullFrom = Number.POSITIVE_INFINITY;
    expect(await conversation, `full at write ${n}`).toEqual(usual);
    test.model.reset();
  }
  expect(last).toBeGreaterThan(5);
});

it('[fault.F21] a file without a free page: new runs are refused, the running one waits and continues', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'full-'));
  const database = await openDatabase(`sqlite:${join(folder, 'service.db')}`, QUIET_LOG);
  await migrate(database, MIGRATIONS, () => 1);
  const pragma = (text: string) =>
    database.read((db) => sql<{ page_count: number }>`pragma ${sql.raw(text)}`.execute(db));
  test = await openTestService({
    overrides: { storage: createSqlStorage(database, machineClock(Date.now)) },
  });
  const client = await test.user();
  const threadId = await newThread(client);
  const full = Promise.withResolvers<void>();
  // Random text that does not compress.
  const words = Array.from({ length: 200 }, () => randomBytes(500).toString('base64'));
  test.model.enqueue(
    answer.script(
      step.text('so '),
      step.until(full.promise),
      ...words.map(step.text),
      step.finish(),
      step.done(),
    ),
  );
  const path = `/api/graph/threads/${threadId}`;
  const response = await client.post(
    `${path}/runs/stream`,
    question('go', { stream_mode: ['messages-tuple'] }),
  );
  const frames: TestFrame[] = [];
  let wasFull = false;
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (frame.event !== 'messages' || wasFull) continue;
    wasFull = true;
    const { rows } = await pragma('page_count');
    await pragma(`max_page_count = ${(rows[0]?.page_count ?? 0) + 1}`);
    full.resolve();
    await expect
      .poll(() => test.complaints.map(({ message }) => message))
      .toContain('runs wait for the database');
    const other = await client.post('/api/graph/runs', question(randomBytes(100_000).toString('base64')));
    expect([other.status, other.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(await other.json()).toMatchObject({ detail: expect.stringContaining('disk') });
    await pragma('max_page_count = 1000000');
  }
  expect(frames.at(-1)?.event).toBe('end');
  const [run] = await jsonOf<RunJson[]>(client.get(`${path}/runs?limit=1`));
  expect(run).toMatchObject({ status: 'success', attempt: 1 });
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  expect(values.messages.at(-1)?.content).toBe(`so ${words.join('')}`);
  await rm(folder, { recursive: true, force: true });
});
