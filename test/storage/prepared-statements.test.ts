// Recurring statements are prepared on Postgres, and survive a change of the tables by another process.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/sql/database/database.ts';
import {
  createStatementNames,
  PLANNED_EACH_TIME,
} from '../../src/storage/sql/database/dialects/prepared-client.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

describe('recurring statements', () => {
  let server: TestPostgres;
  let database: Database;
  beforeAll(async () => {
    server = await openTestPostgres();
    database = await openDatabase(server.url, QUIET_LOG);
    await change('create table notes (id integer primary key, text text)');
    await change(`insert into notes values (1, 'one')`);
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  const change = (statement: string) => database.write((trx) => sql.raw(statement).execute(trx));
  const note = async () =>
    (await database.read((db) => sql`select * from notes where id = ${1}`.execute(db))).rows;
  /** Returns those of the most recently used connection, which is used next. */
  const prepared = async () => {
    const query = sql<{ statement: string }>`select statement from pg_prepared_statements`;
    return (await database.read((db) => query.execute(db))).rows.map(({ statement }) => statement);
  };

  it('[storage.prepared] are prepared after some uses', async () => {
    await note();
    expect(await prepared()).toEqual([]);
    for (let n = 0; n < 4; n += 1) await note();
    expect(await prepared()).toEqual(['select * from notes where id = $1']);
  });

  it('[storage.prepared] work when the table has another column, or the connection has forgotten them', async () => {
    for (let n = 0; n < 9; n += 1) await note();
    await change('alter table notes add column colour text');
    expect(await note()).toEqual([{ id: 1, text: 'one', colour: null }]);
    const inTransaction = database.write((trx) => sql`select * from notes where id = ${1}`.execute(trx));
    expect((await inTransaction).rows).toHaveLength(1);
    await change('alter table notes drop column colour');
    await database.write(async (trx) => {
      await sql`update notes set text = ${'two'} where id = 1`.execute(trx);
      expect((await sql`select * from notes where id = ${1}`.execute(trx)).rows).toEqual([
        { id: 1, text: 'two' },
      ]);
    });
    await database.read((db) => sql`deallocate all`.execute(db));
    expect(await note()).toEqual([{ id: 1, text: 'two' }]);
  });

  it('[storage.prepared.bounded] have no name beyond a number, and where the values decide the plan', () => {
    const names = createStatementNames();
    const often = (text: string) => {
      for (let n = 0; n < 9; n += 1) names.nameOf(text);
      return names.nameOf(text);
    };
    expect(often(`${PLANNED_EACH_TIME} select 0`)).toBeUndefined();
    const given = Array.from({ length: 1_000 }, (_, n) => often(`select ${n}`)).filter(
      (it) => it !== undefined,
    );
    expect(given).toHaveLength(200);
    expect(new Set(given).size).toBe(200);
    const before = often('select 7');
    names.renew();
    expect(often('select 7')).not.toBe(before);
    expect(given).not.toContain(often('select 7'));
  });
});
