// A kill in the middle of a migration (fault.F13).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { expectFirstSchemaRecords, FIRST_SCHEMA_RECORDS } from '../storage/first-schema.ts';
import { cases } from '../support/amount.ts';
import { bundled } from '../support/bundled.ts';
import { COMPILED } from '../support/compiled.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./migrating-process.ts'));

async function migrateAndDie(url: string, step: number): Promise<string | null> {
  const args = [await bundled(SCRIPT), url, `${step}`];
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: COMPILED });
  await once(child, 'exit');
  return child.signalCode;
}

/** The first of all, the first that an old database needs, a middle one and the last. */
const stands = ({ number }: { readonly number: number }) =>
  [1, 2, Math.ceil(MIGRATIONS.length / 2), MIGRATIONS.length].includes(number);

/** Opens an empty database of one kind, which `close` removes. */
type OpenPlace = () => Promise<{ readonly url: string; close(): Promise<void> }>;

const onSqlite: OpenPlace = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'migration-'));
  const close = () => rm(folder, { recursive: true, force: true });
  return { url: `sqlite:${join(folder, 'service.db')}`, close };
};

describe.each<[string, OpenPlace]>([
  ['SQLite', onSqlite],
  ['Postgres', openTestPostgres],
])('%s', (_, openPlace) => {
  let url: string;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ url, close } = await openPlace());
  });
  afterEach(() => close());

  /**
   * Runs the statements on a separate connection; returns the number of recorded migrations, if the table
   * exists.
   */
  async function onDatabase(statements: readonly string[]): Promise<number | undefined> {
    const database = await openDatabase(url, QUIET_LOG);
    await database.write(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx);
    });
    const noted = database.read((db) => db.selectFrom('schema_migrations').select('number').execute());
    const count = await noted.then(
      (rows) => rows.length,
      () => undefined,
    );
    await database.close();
    return count;
  }

  /** Returns every row of the first schema with all its columns, so that an added column shows, too. */
  async function firstSchemaRows(): Promise<readonly unknown[]> {
    const database = await openDatabase(url, QUIET_LOG);
    const tables = ['threads', 'checkpoints', 'runs', 'run_frames'];
    const rows = await database.read(async (db) => {
      const answers = [];
      for (const table of tables) answers.push(await sql`select * from ${sql.table(table)}`.execute(db));
      return answers.map((answer) => answer.rows);
    });
    await database.close();
    return rows;
  }

  it('[fault.F13] killed in any migration of a new database: nothing of it remains, and the next start continues', async () => {
    for (const { number } of cases(MIGRATIONS, stands)) {
      expect(await migrateAndDie(url, number)).toBe('SIGKILL');
      expect(await onDatabase([])).toBeUndefined();
    }
    const storage = await openStorage({ url, log: QUIET_LOG });
    await storage.checkWritable();
    await storage.close();
  });

  it('[fault.F13] killed in any migration of an old database: its records are unchanged, and the next start continues', async () => {
    const database = await openDatabase(url, QUIET_LOG);
    await migrate(database, MIGRATIONS.slice(0, 1), () => 1);
    await database.close();
    await onDatabase(FIRST_SCHEMA_RECORDS);
    const before = await firstSchemaRows();
    for (const { number } of cases(MIGRATIONS.slice(1), stands)) {
      expect(await migrateAndDie(url, number - 1)).toBe('SIGKILL');
      expect(await onDatabase([])).toBe(1);
      expect(await firstSchemaRows()).toEqual(before);
    }
    const storage = await openStorage({ url, log: QUIET_LOG });
    await expectFirstSchemaRecords(storage);
    await storage.close();
    expect(await onDatabase([])).toBe(MIGRATIONS.length);
  });
});
