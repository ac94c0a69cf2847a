// Migrations of a SQLite file to the schema of this release.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { migrate, SchemaTooNewError } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { expectFirstSchemaRecords, FIRST_SCHEMA_RECORDS } from './first-schema.ts';
import { insertFirstTwice } from './start-process.ts';

describe('migrations of a SQLite file', () => {
  let folder: string;
  let path: string;
  let url: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storage-'));
    path = join(folder, 'service.db');
    url = `sqlite:${path}`;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = () => openStorage({ url, log: QUIET_LOG });

  it('[storage.migrate.once] two processes that start concurrently migrate once and insert one first user', async () => {
    expect((await insertFirstTwice(url)).toSorted()).toEqual(['false', 'true']);
    const raw = new DatabaseSync(path);
    expect(raw.prepare('select number from schema_migrations').all()).toHaveLength(MIGRATIONS.length);
    raw.close();
  });

  it('[storage.migrate.data] the first schema with its records becomes the current one', async () => {
    const database = await openDatabase(url, QUIET_LOG);
    await migrate(database, MIGRATIONS.slice(0, 1), () => 1);
    await database.close();
    const raw = new DatabaseSync(path);
    for (const statement of FIRST_SCHEMA_RECORDS) raw.exec(statement);
    raw.close();
    const storage = await open();
    await expectFirstSchemaRecords(storage);
    await storage.close();
  });

  it('[storage.migrate.newer] the database of a newer release is refused with advice', async () => {
    await (await open()).close();
    const raw = new DatabaseSync(path);
    raw.exec(`insert into schema_migrations (number, name, applied_at) values (999, 'from the future', 1)`);
    raw.close();
    await expect(open()).rejects.toThrow(SchemaTooNewError);
    await expect(open()).rejects.toThrow(/schema 999.*newer release/);
  });

  it('a migration that fails leaves the schema as it was', async () => {
    const database = await openDatabase(url, QUIET_LOG);
    const broken = { number: MIGRATIONS.length + 1, name: 'broken', statements: ['create nonsense'] };
    await expect(migrate(database, [...MIGRATIONS, broken], () => 1)).rejects.toThrow('nonsense');
    const tables = await database.read((db) => sql`select name from sqlite_master`.execute(db));
    expect(tables.rows).toEqual([]);
    await database.close();
  });
});
