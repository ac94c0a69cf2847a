// A deleted thread whose rows are removed one page at a time, on both databases.
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSearchQuery } from '../../src/messages/search/search-query.ts';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { enforceOwners } from '../../src/storage/sql/database/row-security.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import type { ThreadRemovals } from '../../src/storage/threads.ts';
import { createThreadRemover } from '../../src/threads/thread-remover.ts';
import { createUpkeep } from '../../src/upkeep/upkeep.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import {
  ANN,
  createThread,
  NEWEST_FIRST,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

/** More rows of each kind than a page has. */
const SIZE = 250;
const COPIED_AT = 210;
/** The most rows that a transaction removes or hands to a copy. */
const ROWS_OF_PAGE = 200;

const TABLES = [
  'threads',
  'thread_metadata',
  'runs',
  'idempotency_keys',
  'run_events',
  'run_frames',
  'checkpoints',
  'search_docs',
  'search_backlog',
];

describe.each(['SQLite', 'Postgres'])('the pages of a deletion on %s', (name) => {
  let server: TestPostgres | undefined;
  let database: Database;
  let storage: Storage;
  beforeEach(async () => {
    server = name === 'Postgres' ? await openTestPostgres() : undefined;
    database = await openDatabase(server?.url ?? 'sqlite::memory:', QUIET_LOG);
    await migrate(database, MIGRATIONS, () => 1);
    await enforceOwners(database, QUIET_LOG);
    storage = createSqlStorage(
      database,
      machineClock(() => 1),
    );
  });
  afterEach(async () => {
    await storage.close();
    await server?.close();
  });

  async function fill(threadId: string): Promise<void> {
    await createThread(storage, ANN, threadId);
    await storage
      .as(ANN)
      .threads.update(threadId, { metadata: { long: true }, displayName: 'Boats', now: 2 });
    const run = await startRunOn(
      storage,
      ANN,
      sampleRun(`run of ${threadId}`, threadId, { idempotencyKey: threadId }),
    );
    const all = Array.from({ length: SIZE }, (_, n) => n);
    const key = (n: number) => `${threadId} ${n}`;
    const checkpoints = all.map((n) =>
      sampleCheckpoint(key(n), n === 0 ? null : key(n - 1), { runId: run.runId, step: n }),
    );
    const events = all.map((n) => sampleEvent({ id: key(n), type: 'ai', content: `boats ${n}` }));
    const upTo = (head: number, from: number) =>
      sampleChange(run, {
        checkpoints: checkpoints.slice(from, head + 1),
        thread: { headCheckpointId: key(head), status: 'idle' },
      });
    await storage.runCommits.commit([upTo(COPIED_AT, 0)], 3000);
    const copy = { threadId: `copy of ${threadId}`, metadata: {}, now: 3 };
    await storage.as(ANN).threads.copy(threadId, copy);
    for (const n of all) {
      const frames = { firstSeq: n + 1, lastSeq: n + 1, attempt: 1, events: '["x"]' };
      await storage.runCommits.commit([sampleChange(run, { frames })], 3000);
    }
    const run_ = { status: 'success', stopReason: 'completed' } as const;
    await storage.runCommits.commit([{ ...upTo(SIZE - 1, COPIED_AT + 1), events, run: run_ }], 3000);
  }

  async function rows(): Promise<number> {
    let total = 0;
    for (const table of TABLES) total += await count(sql`${sql.table(table)}`);
    return total;
  }

  const owned = (threadId: string) => count(sql`checkpoints where thread_id = ${threadId}`);

  async function count(from: ReturnType<typeof sql>): Promise<number> {
    const counted = sql<{ n: number }>`select count(*) as n from ${from}`;
    const result = await database.read((db) => counted.execute(db));
    return Number(result.rows[0]?.n);
  }

  const lineage = (threadId: string) =>
    storage.as(ANN).checkpoints.lineage(`copy of ${threadId}`, `${threadId} ${COPIED_AT}`);

  async function expectAbsent(threadId: string): Promise<void> {
    const { threads, runs, search, usage, runEvents, checkpoints, frames } = storage.as(ANN);
    const newest = { cursor: { kind: 'newest' }, limit: 9 } as const;
    expect(await threads.get(threadId)).toBeUndefined();
    expect(await storage.as(UNSCOPED).threads.get(threadId)).toBeUndefined();
    expect(await threads.count({ ids: [threadId] })).toBe(0);
    expect(await storage.as(UNSCOPED).threads.search({ ...NEWEST_FIRST, ids: [threadId] })).toEqual([]);
    expect(await runs.get(`run of ${threadId}`)).toBeUndefined();
    expect(await runs.findByIdempotencyKey(threadId, 2000)).toBeUndefined();
    expect(await search.find(parseSearchQuery('boats'), { limit: 9, offset: 0 })).toMatchObject({
      threads: [{ threadId: `copy of ${threadId}` }],
    });
    expect((await runEvents.list(threadId, newest)).events).toEqual([]);
    expect(await checkpoints.list(threadId, { limit: 9 })).toEqual([]);
    expect(await frames.read(`run of ${threadId}`, 0, 1000)).toEqual([]);
    expect(await usage.metadataBytes()).toBe(0);
    const again = { threadId, metadata: {}, assistantId: null, now: 1 };
    expect(await threads.create(again)).toBe('taken');
    expect(await storage.as(UNSCOPED).threads.create(again)).toBe('taken');
    expect(await threads.delete(threadId)).toBe('absent');
    expect(await storage.projections.verifyThread(threadId, { repair: false, busyThreads: 'skip' })).toEqual({
      kind: 'gone',
    });
  }

  it('[threads.delete.pages] the thread is absent immediately, and each page has a bounded number of rows', async () => {
    await fill('t');
    const seen = await lineage('t');
    expect(seen.length).toBeGreaterThan(0);
    let before = { rows: await rows(), owned: await owned('t') };
    expect(await storage.as(ANN).threads.delete('t', 50)).toBe('deleted');
    await expectAbsent('t');
    expect(before.rows - (await rows())).toBeLessThan(10);
    let until = 50;
    let pages = 0;
    for await (const page of storage.threadRemovals.removeRows(
      { threadId: 't', userId: ANN, takenUntil: until },
      () => ++until,
    )) {
      pages += 1;
      expect(page.removal.takenUntil).toBe(until);
      const after = { rows: await rows(), owned: await owned('t') };
      expect(before.rows - after.rows).toBeLessThanOrEqual(ROWS_OF_PAGE);
      expect(before.owned - after.owned).toBeLessThanOrEqual(ROWS_OF_PAGE);
      before = after;
      await expectAbsent('t');
      expect(await lineage('t')).toEqual(seen);
    }
    expect(pages).toBeGreaterThan(SIZE / ROWS_OF_PAGE);
    expect(await owned('copy of t')).toBe(COPIED_AT + 1);
    // The copy's row and title, and the checkpoints that it sees.
    expect(before.rows).toBe(COPIED_AT + 3);
  });

  it('[threads.delete.pages] a key of one of its runs is free for the next run', async () => {
    await fill('t');
    await storage.as(ANN).threads.delete('t');
    const next = sampleRun('next', 'copy of t', { idempotencyKey: 't' });
    expect(await storage.as(ANN).runs.admit(next)).toMatchObject({ kind: 'admitted' });
    expect(await storage.as(ANN).runs.findByIdempotencyKey('t', 2000)).toMatchObject({ runId: 'next' });
  });

  it('[threads.delete.pages] a process that lost the deletion removes nothing more', async () => {
    await fill('t');
    await storage.as(ANN).threads.delete('t', 50);
    const slow = storage.threadRemovals.removeRows({ threadId: 't', userId: ANN, takenUntil: 50 }, () => 60);
    await slow.next();
    await storage.threadRemovals.take({ now: 60, takenUntil: 90, limit: 1 });
    const left = await rows();
    await expect(slow.next()).rejects.toMatchObject({ code: 'conflict' });
    expect(await rows()).toBe(left);
  });

  it('[threads.delete.resumed] the deletion is finished wherever it was interrupted', async () => {
    const removerOf = (removals: ThreadRemovals) =>
      createThreadRemover({
        removals,
        removeFiles: async () => {},
        forget: () => {},
        log: QUIET_LOG,
        now: () => 1000,
        exclusive: true,
        upkeep: createUpkeep({ log: QUIET_LOG }),
      });
    const failingAfter = (pages: number): ThreadRemovals => ({
      ...storage.threadRemovals,
      async *removeRows(removal, takenUntil) {
        let left = pages;
        for await (const page of storage.threadRemovals.removeRows(removal, takenUntil)) {
          if (left === 0) throw new Error('the process is gone');
          left -= 1;
          yield page;
        }
      },
    });
    for (let pages = 0, isWhole = false; !isWhole; pages += 1) {
      const threadId = `t${pages}`;
      await fill(threadId);
      const seen = await lineage(threadId);
      const dying = removerOf(failingAfter(pages));
      const removal = { threadId, userId: ANN, takenUntil: 50 };
      await storage.as(ANN).threads.delete(threadId, removal.takenUntil);
      isWhole = await dying.finish(removal).then(
        () => true,
        () => false,
      );
      await storage.threadRemovals.take({ now: 40_000, takenUntil: 900, limit: 1 });
      await removerOf(storage.threadRemovals).sweep();
      for (const table of ['threads', 'runs', 'run_events', 'checkpoints', 'search_docs'])
        expect(await count(sql`${sql.table(table)} where thread_id = ${threadId}`), table).toBe(0);
      expect(await count(sql`run_frames where run_id = ${`run of ${threadId}`}`)).toBe(0);
      expect(await lineage(threadId)).toEqual(seen);
      const again = { threadId, metadata: {}, assistantId: null, now: 1 };
      expect(await storage.as(ANN).threads.create(again)).toMatchObject({ created: true });
    }
  });
});
