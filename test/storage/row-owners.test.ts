// The owners of rows that inherited theirs from a run or a thread, once the rows have the column.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { ANN, BOB } from './samples.ts';

const BEFORE = MIGRATIONS.filter(({ number }) => number < 23);

describe('rows from before they had owners', () => {
  let server: TestPostgres;
  let database: Database;
  beforeAll(async () => {
    server = await openTestPostgres();
    database = await openDatabase(server.url, QUIET_LOG);
    await migrate(database, BEFORE, () => 1);
    for (const statement of [
      ...thread('own', ANN),
      ...thread('copy', ANN, 'own'),
      ...thread('shared', null),
      // Ann received a shared thread after Bob had made a copy of it.
      ...thread('given', ANN),
      ...thread('kin', BOB, 'given'),
      `insert into thread_imports (import_id, user_id, taken_until, abandoned) values ('i', '${BOB}', 1, 0)`,
      ...thread('imported', 'import:i'),
    ])
      await database.write((trx) => sql.raw(statement).execute(trx));
    await migrate(database, MIGRATIONS, () => 1);
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  const owners = async (table: string, id: string) => {
    const query = sql<{
      id: string;
      user_id: string | null;
    }>`select ${sql.ref(id)} as id, user_id from ${sql.table(table)}`;
    const { rows } = await database.read((db) => query.execute(db));
    return Object.fromEntries(rows.map((row) => [row.id, row.user_id]));
  };

  it('[storage.rls.owners] frames and contents have the owner of their run or thread', async () => {
    const all = { own: ANN, copy: ANN, shared: null, given: ANN, kin: BOB, imported: BOB };
    expect(await owners('trace_contents', 'thread_id')).toEqual(all);
    expect(await owners('run_frames', 'run_id')).toEqual(all);
  });

  it('[storage.rls.owners] checkpoints with one owner get that owner, those with several stay shared', async () => {
    expect(await owners('checkpoints', 'thread_id')).toEqual({
      own: ANN,
      copy: ANN,
      shared: null,
      given: null,
      kin: null,
      imported: BOB,
    });
  });
});

/** Returns statements for a thread with a run of the same id, and a row of each kind. */
function thread(id: string, owner: string | null, family?: string): readonly string[] {
  const text = (value: string | null | undefined) => (value ? `'${value}'` : 'null');
  const runner = owner === 'import:i' ? BOB : owner;
  return [
    `insert into threads (thread_id, user_id, status, created_at, updated_at, metadata, copy_family)
      values ('${id}', ${text(owner)}, 'idle', 1, 1, '{}', ${text(family)})`,
    `insert into runs (run_id, thread_id, user_id, assistant_id, status, attempt, multitask_strategy, created_at,
        updated_at, token_usage_by_model, metadata, kwargs)
      values ('${id}', '${id}', ${text(runner)}, 'lead_agent', 'success', 1, 'enqueue', 1, 1, '{}', '{}', '{}')`,
    `insert into run_frames (run_id, first_seq, last_seq, attempt, events) values ('${id}', 1, 1, 1, '[]')`,
    `insert into trace_contents (thread_id, content_key, content) values ('${id}', 'key', 'content')`,
    `insert into checkpoints (checkpoint_id, thread_id, step, source, fold_bytes, created_at, next, tasks, metadata, delta)
      values ('${id}', '${id}', 1, 'input', 1, 1, '[]', '[]', '{}', 'D')`,
  ];
}
