// A run starts while the disk works, and nothing of it is visible before it is durable. The test holds up the
// disk.
import { fdatasync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Flush } from '../../src/storage/sql/database/dialects/commit-sync.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

let folder: string;
let test: TestService;
let storage: Storage;
let isHeld: boolean;
let held: (() => void)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ahead-'));
  isHeld = false;
  held = [];
  const flush: Flush = (fd, done) => {
    if (isHeld) held.push(() => fdatasync(fd, done));
    else fdatasync(fd, done);
  };
  const url = `sqlite:${join(folder, 'service.db')}`;
  const database = await openDatabase(url, QUIET_LOG, { disk: { flush } });
  await migrate(database, MIGRATIONS, Date.now);
  storage = createSqlStorage(database, machineClock(Date.now));
  test = await openTestService({ overrides: { storage } });
});
afterEach(async () => {
  release();
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

function release(): void {
  isHeld = false;
  for (const flush of held.splice(0)) flush();
}

it('[runs.start.ahead] a run starts while the disk works; the client and model hear of it once it is durable', async () => {
  const client = await test.user();
  const threadId = await newThread(client);
  let asked = 0;
  test.model.onRequest(() => {
    asked++;
    return answer.text('said');
  });
  isHeld = true;
  let isTold = false;
  const started = client
    .post(`/api/graph/threads/${threadId}/runs/stream`, question('hello'))
    .then((response) => {
      isTold = true;
      return response.text();
    });
  const { runs } = storage.as(UNSCOPED).ahead;
  const statuses = async () =>
    (await runs.list(threadId, { limit: 10, offset: 0 })).map(({ status }) => status);
  await expect.poll(statuses, { interval: 5 }).toEqual(['running']);
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  expect([isTold, asked, held.length]).toEqual([false, 0, 1]);
  release();
  expect(await started).toContain('said');
});
