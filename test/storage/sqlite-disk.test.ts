// The storage contract on a SQLite file, and the failures that only a file has.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import { emptyDatabase } from '../support/memory-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { allContracts } from './contracts.ts';
import { simulateCopies } from './copies-simulation.ts';
import {
  ANN,
  createThread,
  deleteThread,
  finishRun,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRun,
  startRunOn,
} from './samples.ts';
import { killAmidCommits } from './start-process.ts';

const NEWEST = { cursor: { kind: 'newest' }, limit: 100_000 } as const;

describe('SQLite on disk', () => {
  let folder: string;
  let path: string;
  let url: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storage-'));
    path = join(folder, 'new folder', 'service.db');
    url = `sqlite:${path}`;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = () => openStorage({ url, log: QUIET_LOG });
  /** Opens the file for tests that need one storage only. */
  const openEmpty = async () => {
    await mkdir(dirname(path));
    await writeFile(path, await emptyDatabase());
    return open();
  };

  allContracts(openEmpty, open);

  it('[search.merge] the word index is merged between commits, and loses nothing', async () => {
    const storage = await open();
    const parts = () => {
      const file = new DatabaseSync(path, { readOnly: true });
      const row = file.prepare('select count(distinct segid) as parts from search_words_idx').get();
      file.close();
      return Number(row?.parts);
    };
    const run = await startRun(storage, ANN, 'r');
    const commits = 12;
    for (let n = 0; n < commits; n++) {
      const message = { type: 'ai', id: `m${n}`, content: `petal number${n}` };
      await storage.runCommits.commit([sampleChange(run, { events: [sampleEvent(message)] })], 3000);
    }
    // No writer had to merge.
    expect(parts()).toBe(commits);
    while (await storage.searchIndex.merge());
    expect(parts()).toBeLessThan(commits);
    expect(await storage.searchIndex.merge()).toBe(false);
    expect(await storage.searchIndex.compare(run.threadId)).toEqual([]);
    await storage.close();
  });

  it('keeps the file to its owner', async () => {
    const storage = await open();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await storage.close();
  });

  it('reopens with the same contents', async () => {
    const before = await open();
    await finishRun(before, await startRun(before, ANN, 'r'));
    await before.close();
    const after = await open();
    expect(await after.as(ANN).runs.get('r')).toMatchObject({ status: 'success' });
    await after.close();
  });

  it('[storage.kill] a process killed amid commits loses nothing that it acknowledged', async () => {
    const acknowledged = await killAmidCommits(url, 200);
    expect(acknowledged).toBeGreaterThanOrEqual(200);
    const storage = await open();
    const { events } = await storage.as(ANN).runEvents.list('thread-of-r', NEWEST);
    expect(events.length).toBeGreaterThanOrEqual(acknowledged);
    expect(events.map((event) => event.content)).toEqual(events.map((_, index) => `${index + 1}`));
    expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'running', attempt: 1 });
    await storage.close();
  });

  it('two processes with the same key on one file admit one run', async () => {
    const [one, two] = [await open(), await open()];
    await createThread(one, ANN, 'a');
    await createThread(one, ANN, 'b');
    const answers = await Promise.all([
      one.as(ANN).runs.admit(sampleRun('r1', 'a', { idempotencyKey: 'k' })),
      two.as(ANN).runs.admit(sampleRun('r2', 'b', { idempotencyKey: 'k' })),
    ]);
    expect(answers.map((answer) => answer.kind).sort()).toEqual(['admitted', 'repeated']);
    await Promise.all([one.close(), two.close()]);
  });

  it('[storage.busy] waits while another process holds the write lock, and reads continue', async () => {
    const storage = await open();
    await createThread(storage, ANN, 't');
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    let written = false;
    const write = storage
      .as(ANN)
      .threads.update('t', { displayName: 'late', now: 2000 })
      .then(() => {
        written = true;
      });
    for (let n = 0; n < 20; n++) {
      expect(await storage.as(ANN).threads.get('t')).toMatchObject({ displayName: null });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(written).toBe(false);
    other.exec('commit');
    await write;
    expect(await storage.as(ANN).threads.get('t')).toMatchObject({ displayName: 'late' });
    other.close();
    await storage.close();
  });

  it('[storage.locked] gives up after about five seconds with unavailable', async () => {
    const storage = await open();
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    await expect(storage.checkWritable()).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('locked'),
    });
    other.exec('commit');
    await storage.checkWritable();
    other.close();
    await storage.close();
  });

  it('[storage.full] a full disk is unavailable, leaves nothing half written, and recovers', async () => {
    const database = await openDatabase(url, QUIET_LOG);
    await migrate(database, MIGRATIONS, () => 1);
    const storage = createSqlStorage(
      database,
      machineClock(() => 1),
    );
    const run = await startRun(storage, ANN, 'r');
    const other = await startRun(storage, ANN, 'other');
    const limitPages = (pages: string) =>
      database.read((db) => sql.raw(`pragma max_page_count = ${pages}`).execute(db));
    const count = await database.read((db) => sql<{ page_count: number }>`pragma page_count`.execute(db));
    await limitPages(`${(count.rows[0]?.page_count ?? 0) + 8}`);
    const big = [sampleEvent('small'), sampleEvent('x'.repeat(200_000))];
    const changes = [
      sampleChange(other, { events: [sampleEvent('rides along')] }),
      sampleChange(run, { events: big, checkpoints: [sampleCheckpoint('c', null)] }),
    ];
    await expect(storage.runCommits.commit(changes, 1)).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('disk'),
    });
    expect((await storage.as(ANN).runEvents.list(run.threadId, NEWEST)).events).toEqual([]);
    expect((await storage.as(ANN).runEvents.list(other.threadId, NEWEST)).events).toEqual([]);
    expect(await storage.as(ANN).checkpoints.get(run.threadId, 'c')).toBeUndefined();
    await limitPages('1000000');
    expect(await storage.runCommits.commit(changes, 1)).toEqual({ lost: [], blocked: [] });
    expect((await storage.as(ANN).runEvents.list(run.threadId, NEWEST)).events).toHaveLength(2);
    await storage.close();
  });

  it('[threads.delete.nothing-left] no row of a deleted thread stays in any table', async () => {
    const storage = await open();
    await storage.as(ANN).threads.create({ threadId: 'kept', metadata: { a: 1 }, assistantId: null, now: 1 });
    const raw = new DatabaseSync(path);
    const names = raw.prepare(`select name from sqlite_master where type = 'table'`).all();
    const counts = () =>
      Object.fromEntries(
        names.map(({ name }) => [name, raw.prepare(`select count(*) as n from ${name}`).get()?.n]),
      );
    const before = counts();
    await createThread(storage, ANN, 't');
    const run = await startRunOn(storage, ANN, sampleRun('r', 't', { idempotencyKey: 'k' }));
    await storage.as(ANN).threads.update(run.threadId, { metadata: { a: 1, b: 2 }, now: 2 });
    await storage.runCommits.commit(
      [
        sampleChange(run, {
          frames: { firstSeq: 1, lastSeq: 1, attempt: 1, events: '["x"]' },
          events: [sampleEvent('x'.repeat(10_000), { category: 'trace' }), sampleEvent('y')],
          checkpoints: [sampleCheckpoint('a', null), sampleCheckpoint('b', 'a')],
        }),
      ],
      3000,
    );
    expect(Object.values(counts())).not.toContain(undefined);
    expect(counts()).toMatchObject({
      run_events: 2,
      trace_contents: 1,
      run_frames: 1,
      checkpoints: 2,
      runs: 1,
      idempotency_keys: 1,
    });
    await finishRun(storage, run);
    await deleteThread(storage, ANN, run.threadId);
    // Except for the audit entry and the worker, which is still there.
    expect(counts()).toEqual({ ...before, audit_log: 1, workers: 1 });
    raw.close();
    await storage.close();
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    '[copies.share] [copies.nothing-left] copies made and deleted at random (seed %i) keep what they see and no more',
    async (seed) => {
      const storage = await open();
      const raw = new DatabaseSync(path);
      const stored = () => raw.prepare('select count(*) as n from checkpoints').get()?.n;
      const simulation = simulateCopies(storage, seed);
      for (let n = 0; n < 120; n++) {
        await simulation.step();
        expect(stored()).toBe(simulation.needed());
      }
      const { stored: seen, expected } = await simulation.compare();
      expect(seen).toEqual(expected);
      await simulation.deleteAll();
      expect(stored()).toBe(0);
      raw.close();
      await storage.close();
    },
  );

  it('[events.trace.once] a long trace that recurs is stored once', async () => {
    const storage = await open();
    const run = await startRun(storage, ANN, 'r');
    const text = 'x'.repeat(10_000);
    const events = Array.from({ length: 50 }, () => sampleEvent(text, { category: 'trace' }));
    await storage.runCommits.commit([sampleChange(run, { events })], 1);
    const raw = new DatabaseSync(path);
    expect(raw.prepare('select count(*) as n from trace_contents').get()).toEqual({ n: 1 });
    expect(raw.prepare('select count(*) as n from run_events where content is null').get()).toEqual({
      n: 50,
    });
    raw.close();
    await storage.close();
  });

  it('[storage.one-running] the database itself refuses a second running run of a thread', async () => {
    const storage = await open();
    await startRun(storage, ANN, 'r');
    const raw = new DatabaseSync(path);
    const copy = `insert into runs (run_id, thread_id, assistant_id, status, attempt, multitask_strategy, created_at,
      updated_at, token_usage_by_model, metadata, kwargs)
      select 'second', thread_id, assistant_id, 'running', 1, multitask_strategy, 1, 1, '{}', '{}', '{}' from runs`;
    expect(() => raw.exec(copy)).toThrow(/UNIQUE/);
    raw.close();
    await storage.close();
  });

  it('returns the space of deleted threads to the disk', async () => {
    const storage = await open();
    const run = await startRun(storage, ANN, 'r');
    const noise = randomBytes(15_000).toString('base64');
    const events = Array.from({ length: 100 }, (_, n) => sampleEvent(`${n} ${noise}`));
    await storage.runCommits.commit([sampleChange(run, { events })], 1);
    const raw = new DatabaseSync(path);
    const pages = () => Number(raw.prepare('pragma page_count').get()?.page_count);
    const before = pages();
    await finishRun(storage, run);
    await deleteThread(storage, ANN, run.threadId);
    expect(pages()).toBeLessThan(before - 200);
    raw.close();
    await storage.close();
  });

  it('[frames.retention.space] returns the space of pruned streams to the disk', async () => {
    const storage = await open();
    const run = await startRun(storage, ANN, 'r');
    const frames = { firstSeq: 1, lastSeq: 1, attempt: 1, events: `["${'x'.repeat(1_000_000)}"]` };
    await storage.runCommits.commit([sampleChange(run, { frames })], 1);
    await finishRun(storage, run);
    const raw = new DatabaseSync(path);
    const pages = () => Number(raw.prepare('pragma page_count').get()?.page_count);
    const before = pages();
    await storage.frameRetention.replace('r', { ...frames, events: '["x"]' });
    expect(pages()).toBeLessThan(before - 200);
    raw.close();
    await storage.close();
  });

  it('[storage.open.refused] a file that is no database, or cannot be opened, is unavailable', async () => {
    const noise = join(folder, 'noise.db');
    await writeFile(noise, 'this is not a database, whatever its name says. '.repeat(100));
    await expect(openStorage({ url: `sqlite:${noise}`, log: QUIET_LOG })).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('not a SQLite database'),
    });
    await expect(openStorage({ url: `sqlite:${folder}`, log: QUIET_LOG })).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('cannot be opened'),
    });
  });
});
