// The write-ahead log of a SQLite file: copied between commits, bounded, and removed on closing.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CompiledQuery, Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNodeSqliteDriver } from '../../src/storage/sql/database/dialects/node-sqlite-driver.ts';
import { openSqliteDialect } from '../../src/storage/sql/database/dialects/sqlite.ts';
import { createTurns } from '../../src/storage/sql/database/dialects/turns.ts';
import { createWalCheckpoints } from '../../src/storage/sql/database/dialects/wal-checkpoints.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { ANN, finishRun, sampleChange, sampleEvent, startRun } from './samples.ts';

const MEGABYTE = 1_000_000;
/** SQLite itself copies when the log has this many pages of 4 KiB. */
const SAFETY_NET = 16_000 * 4_096;

let folder: string;
let path: string;
let storage: Storage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wal-'));
  path = join(folder, 'data', 'service.db');
  storage = await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG });
});
afterEach(async () => {
  await storage.close();
  await rm(folder, { recursive: true, force: true });
});

const sizeOf = async (suffix = '') => (await stat(`${path}${suffix}`)).size;

async function writeMegabytes(count: number): Promise<void> {
  const run = await startRun(storage, ANN, 'r');
  for (let n = 0; n < count; n++) {
    // Random text that does not compress.
    const events = [sampleEvent(randomBytes((MEGABYTE * 3) / 4).toString('base64'))];
    await storage.runCommits.commit([sampleChange(run, { events })], 1);
  }
  await finishRun(storage, run);
}

it('[storage.wal.copied] the log is copied into the file long before a commit has to', async () => {
  await writeMegabytes(20);
  await expect.poll(() => sizeOf()).toBeGreaterThan(16 * MEGABYTE);
  expect(await sizeOf('-wal')).toBeLessThan(SAFETY_NET / 2);
});

it('[storage.wal.bounded] under steady writing the log restarts regularly', async () => {
  await writeMegabytes(200);
  expect(await sizeOf('-wal')).toBeLessThan(100 * MEGABYTE);
  expect(await sizeOf()).toBeGreaterThan(100 * MEGABYTE);
});

it('[storage.wal.closed] after closing only the file remains, with everything in it', async () => {
  await writeMegabytes(20);
  await storage.close();
  expect(await readdir(join(folder, 'data'))).toEqual(['service.db']);
  storage = await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG });
  expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'success' });
});

it('[storage.wal.refused] a file that cannot be opened for copying is copied later', async () => {
  await rename(join(folder, 'data'), join(folder, 'away'));
  await writeMegabytes(20);
  // Checked while it is away, since a pending try may succeed as soon as it is back.
  expect((await stat(join(folder, 'away', 'service.db'))).size).toBeLessThan(4 * MEGABYTE);
  await rename(join(folder, 'away'), join(folder, 'data'));
  await expect
    .poll(async () => {
      await storage.checkWritable();
      return sizeOf();
    })
    .toBeGreaterThan(16 * MEGABYTE);
});

it('[storage.wal.thread-lost] without its thread the database still works, and warns once', async () => {
  const file = join(folder, 'other.db');
  const said: string[] = [];
  const log = { ...QUIET_LOG, warn: (_fields: object, message: string) => said.push(message) };
  const opened = openSqliteDialect({ location: ':memory:', log: QUIET_LOG, now: Date.now, disk: {} });
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal');
  database.exec('pragma wal_autocheckpoint = 8000');
  const turns = createTurns();
  const script = pathToFileURL(join(folder, 'is-not-there.ts'));
  const checkpoints = createWalCheckpoints({ database, location: file, turns, log, script });
  const driver = { database, turns, walCheckpoints: checkpoints, commitSync: undefined };
  const db = new Kysely<object>({
    dialect: { ...opened.dialect, createDriver: () => createNodeSqliteDriver(driver) },
  });
  await db.executeQuery(CompiledQuery.raw('create table texts (text)'));
  for (let n = 0; n < 60; n++) {
    await db
      .transaction()
      .execute((trx) =>
        trx.executeQuery(CompiledQuery.raw(`insert into texts values (zeroblob(${MEGABYTE}))`)),
      );
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => said).toEqual(['the write-ahead log is now checkpointed within commits']);
  expect((await stat(file)).size).toBeGreaterThan(8_000 * 4_096);
  await db.destroy();
  expect(said).toHaveLength(1);
  expect(await readdir(folder)).not.toContain('other.db-wal');
});
