// A worker is not fenced while it writes, and writes nothing afterwards: on Postgres, with its locks.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCommitFence } from '../../src/storage/sql/commits/commit-fence.ts';
import { createCommitStatements } from '../../src/storage/sql/commits/commit-statements.ts';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { createRunLogRows } from '../../src/storage/sql/log/run-log-rows.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { claimRuns, endLease } from './samples.ts';

let server: TestPostgres;
let storage: Storage;
let database: Database;
beforeAll(async () => {
  server = await openTestPostgres();
  storage = await openStorage({ url: server.url, log: QUIET_LOG });
  database = await openDatabase(server.url, QUIET_LOG);
});
beforeEach(async () => {
  await storage.workers.register({ workerId: 'writer', leaseMs: 60_000 });
  await endLease(storage, 'writer');
});
afterAll(async () => {
  await Promise.all([storage.close(), database.close()]);
  await server.close();
});

const fence = () => claimRuns(storage, { workerId: 'other', fencesExpired: true });
const renews = () => storage.workers.renew({ workerId: 'writer', leaseMs: -1, acknowledged: 0 });

it('[leases.fence] a worker is not fenced while it writes, and writes nothing afterwards', async () => {
  const enter = createCommitFence(database, {
    statements: createCommitStatements(database),
    logRows: createRunLogRows(database),
  });
  const flush = (number: number) => ({ workerId: 'writer', flush: number, after: number - 1, pieces: [] });
  await database.write(async (trx) => {
    expect(await enter(trx, [], flush(1))).toMatchObject({ kind: 'open' });
    await fence();
  });
  expect(await renews()).toBeDefined();
  expect(await database.write((trx) => enter(trx, [], flush(2)))).toMatchObject({ kind: 'open' });
  await fence();
  expect(await renews()).toBeUndefined();
  expect(await database.write((trx) => enter(trx, [], flush(3)))).toMatchObject({ kind: 'closed' });
});
