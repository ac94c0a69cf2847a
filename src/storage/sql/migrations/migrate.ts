// Brings a database to the schema of this release.
import { sql } from 'kysely';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { Migration } from './migration.ts';

/** Any number will do, as long as all releases agree on it. */
const ADVISORY_LOCK = 726_354_001;

/**
 * Applies what is missing, all of it in one transaction or nothing. Several processes may start at once: one
 * migrates, the others wait and find nothing left to do. Throws `SchemaTooNewError` on a database that is ahead.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  now: () => number,
): Promise<void> {
  const latest = migrations.at(-1)?.number ?? 0;
  await database.writePatiently(async (trx) => {
    if (database.name === 'postgres') await takeTurn(trx);
    const current = await currentSchema(trx);
    if (current > latest) throw new SchemaTooNewError(current, latest);
    for (const migration of migrations.filter((it) => it.number > current)) {
      for (const statement of statementsFor(migration, database.name)) await sql.raw(statement).execute(trx);
      await trx
        .insertInto('schema_migrations')
        .values({ number: migration.number, name: migration.name, applied_at: now() })
        .execute();
    }
  });
}

/** Large tables take time, and their lock makes others wait; but no one queues behind a wait for a busy table. */
async function takeTurn(trx: WriteTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(trx);
  await sql`set local lock_timeout = '5s'`.execute(trx);
}

/** On Postgres, sorting by the language of the server would differ from SQLite, and from server to server. */
function statementsFor(migration: Migration, dialect: Database['name']): readonly string[] {
  const own = migration[dialect] ?? [];
  if (dialect === 'sqlite') return [...migration.statements, ...own];
  const shared = migration.statements.map((it) => it.replaceAll(/\btext\b/g, 'text collate "C"'));
  return [...shared, ...own];
}

async function currentSchema(trx: WriteTransaction): Promise<number> {
  await trx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  const row = await trx
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('number').as('number'))
    .executeTakeFirst();
  return row?.number ?? 0;
}

/** The message says what to do; it is for the person who starts the service. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
  readonly found: number;
  readonly supported: number;

  constructor(found: number, supported: number) {
    super(
      `The database has schema ${found}, but this release only supports schemas up to ${supported}. ` +
        'Start the newer release that changed it, or point the service at another database or a backup.',
    );
    this.found = found;
    this.supported = supported;
  }
}
