// A kill in the middle of a migration (reliability F13).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openDatabase } from '../../src/storage/sql/open-database.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { expectFirstSchemaRecords, FIRST_SCHEMA_RECORDS } from '../storage/first-schema.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./migrating-process.ts'));

async function migrateAndDie(url: string, step: number): Promise<string | null> {
  const child = spawn(process.execPath, [SCRIPT, url, `${step}`], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.signalCode;
}

/** An empty database of one kind, and what removes it. */
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

  /** Runs the statements on a connection of its own; the number of migrations that are noted, if any ever were. */
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

  it.each(MIGRATIONS.map(({ number }) => number))(
    '[fault.F13] killed in migration %i of a new database: the next start finds nothing of it, and goes on',
    async (step) => {
      expect(await migrateAndDie(url, step)).toBe('SIGKILL');
      expect(await onDatabase([])).toBeUndefined();
      const storage = await openStorage({ url, log: QUIET_LOG });
      await storage.checkWritable();
      await storage.close();
    },
  );

  it.each(MIGRATIONS.slice(1).map(({ number }) => number))(
    '[fault.F13] killed in migration %i of an old database: its records are as they were, and the next start goes on',
    async (number) => {
      const database = await openDatabase(url, QUIET_LOG);
      await migrate(database, MIGRATIONS.slice(0, 1), () => 1);
      await database.close();
      await onDatabase(FIRST_SCHEMA_RECORDS);
      expect(await migrateAndDie(url, number - 1)).toBe('SIGKILL');
      expect(await onDatabase([])).toBe(1);
      const storage = await openStorage({ url, log: QUIET_LOG });
      await expectFirstSchemaRecords(storage);
      await storage.close();
      expect(await onDatabase([])).toBe(MIGRATIONS.length);
    },
  );
});
