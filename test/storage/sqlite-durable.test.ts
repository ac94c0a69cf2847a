// SQLite's writes are on the disk before a caller learns of them. The tests decide when a flush of the disk
// ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

type Done = (error: Error | null) => void;

let folder: string;
let database: Database;
let flushes: Done[];
let failures: number;
let said: string[];
/** The reported operations, in order. */
let told: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-'));
  flushes = [];
  failures = 0;
  said = [];
  told = [];
  const log = { ...QUIET_LOG, error: (_fields: object, message: string) => said.push(message) };
  database = await openDatabase(`sqlite:${join(folder, 'service.db')}`, log, {
    disk: {
      flush: (_fd, done) => void flushes.push(done),
      onFailure: () => failures++,
    },
  });
  await database.write((trx) => sql`create table notes (text)`.execute(trx));
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const note = (text: string) =>
  database
    .write((trx) => sql`insert into notes values (${text})`.execute(trx))
    .then(
      () => void told.push(text),
      () => void told.push(`not ${text}`),
    );

const count = async () => {
  const { rows } = await database.read((db) =>
    sql<{ n: number }>`select count(*) as n from notes`.execute(db),
  );
  told.push(`${rows[0]?.n} notes`);
};

/** Returns the flush with that number, counted from 1, as soon as it has begun. */
async function flush(number: number): Promise<Done> {
  await expect.poll(() => flushes.length, { interval: 1 }).toBe(number);
  const done = flushes[number - 1];
  if (done === undefined) throw new Error('There is no flush.');
  return done;
}

/** Waits for as many turns of the event loop as any operation without the disk takes. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

it('[storage.durable.write] is confirmed after the first flush that began after its commit, and other writes continue', async () => {
  const first = note('first');
  const done = await flush(1);
  const later = [note('second'), note('third')];
  await turns();
  const fourth = note('fourth');
  await turns();
  expect([flushes.length, told]).toEqual([1, []]);
  done(null);
  await first;
  expect(told).toEqual(['first']);
  const rest = await flush(2);
  await turns();
  expect(told).toEqual(['first']);
  rest(null);
  await Promise.all([...later, fourth]);
  expect([flushes.length, told]).toEqual([2, ['first', 'second', 'third', 'fourth']]);
});

it('[storage.durable.read] waits until everything that it saw is on the disk, and not at all if it is', async () => {
  const written = note('first');
  const done = await flush(1);
  const read = count();
  await turns();
  expect(told).toEqual([]);
  done(null);
  await Promise.all([written, read]);
  await count();
  expect([flushes.length, told.toSorted()]).toEqual([1, ['1 notes', '1 notes', 'first']]);
});

it('[storage.durable.ahead] operations ahead of the disk do not wait, and later results wait for them, too', async () => {
  await database.ahead.write((trx) => sql`insert into notes values ('first')`.execute(trx));
  const { rows } = await database.ahead.read((db) => sql`select * from notes`.execute(db));
  expect([rows.length, flushes.length]).toEqual([1, 0]);
  const read = count();
  const done = await flush(1);
  const onDisk = database.onDisk().then(() => void told.push('on the disk'));
  await turns();
  expect(told).toEqual([]);
  done(null);
  await Promise.all([read, onDisk]);
  expect([flushes.length, told.toSorted()]).toEqual([1, ['1 notes', 'on the disk']]);
});

it('[storage.durable.write] a write that changes nothing waits for no flush', async () => {
  await database.write((trx) => sql`update notes set text = 'other'`.execute(trx));
  expect(flushes).toEqual([]);
});

it('[storage.durable.refused] a disk that refused once is never trusted again', async () => {
  const first = note('first');
  const done = await flush(1);
  const second = note('second');
  const read = count().catch((error: unknown) => error);
  await turns();
  done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  await Promise.all([first, second]);
  expect(told).toEqual(['not first', 'not second']);
  expect(await read).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('disk') });
  await note('third');
  await expect(count()).rejects.toMatchObject({ code: 'unavailable' });
  expect([flushes.length, told.at(-1), failures]).toEqual([1, 'not third', 1]);
  expect(said).toEqual(['the disk of the database failed to store a write']);
});
