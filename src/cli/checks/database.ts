// Checks the database: whether it is reachable and whether this release knows its schema.
import { existsSync } from 'node:fs';
import { ServiceError } from '../../errors.ts';
import { createLog } from '../../log.ts';
import type { Database } from '../../storage/sql/database/database.ts';
import { openDatabase } from '../../storage/sql/database/open-database.ts';
import { durabilityGaps } from '../../storage/sql/database/postgres-durability.ts';
import { BYPASS_FIX, ROW_SECURITY_FIX, rowSecurityOf } from '../../storage/sql/database/row-security.ts';
import type { StorageOptions } from '../../storage/sql/database/storage-options.ts';
import { SchemaTooNewError } from '../../storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../storage/sql/migrations/migrations.ts';
import { type Finding, findingsOn } from '../finding.ts';

const { ok, note, problem } = findingsOn('database');
const LATEST = MIGRATIONS.at(-1)?.number ?? 0;

/** Neither creates nor migrates anything. */
export async function checkDatabase({ url, row_level_security }: StorageOptions): Promise<Finding> {
  const file = /^sqlite:(?!:memory:)(.+)$/s.exec(url)?.[1];
  if (url === 'sqlite::memory:') {
    return note(
      'In memory: everything is lost when the service stops.',
      'Leave DATABASE_URL out to keep it.',
    );
  }
  if (file !== undefined && !existsSync(file)) return ok(`SQLite; ${file} will be created.`);
  try {
    const database = await openDatabase(url, createLog({ level: 'silent', format: 'json' }));
    try {
      return await schemaFinding(database, row_level_security !== false);
    } finally {
      await database.close();
    }
  } catch (error) {
    return failure(error, file);
  }
}

async function schemaFinding(database: Database, wantsWall: boolean): Promise<Finding> {
  const kind = database.name === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const found = await schemaOf(database);
  if (found > LATEST) throw new SchemaTooNewError(found, LATEST);
  if (found === LATEST) return wallFinding(database, kind, wantsWall);
  return ok(`${kind}; its schema goes from ${found} to ${LATEST} at the next start.`);
}

/** Reports whether the database, by its own account, keeps what it commits and isolates owners. */
async function wallFinding(database: Database, kind: string, wanted: boolean): Promise<Finding> {
  const [gap] = await durabilityGaps(database);
  if (gap !== undefined) return note(`${gap.message}.`, gap.fix);
  const wall = await rowSecurityOf(database);
  if (wall !== 'not_needed' && !wanted) {
    return note(
      `${kind}, schema ${LATEST}. Row-level security, the second wall between owners, is switched off.`,
      'Leave database.row_level_security out, or set it to true.',
    );
  }
  switch (wall) {
    case 'not_needed':
      return ok(`${kind}, schema ${LATEST}.`);
    case 'on':
      return ok(`${kind}, schema ${LATEST}. Row-level security keeps owners apart.`);
    case 'off':
      return note(
        `${kind}, schema ${LATEST}. Row-level security, the second wall between owners, is off.`,
        `Start the service once. If this stays, let an administrator of the database run: ${ROW_SECURITY_FIX}`,
      );
    case 'bypassed':
      return note(
        `${kind}, schema ${LATEST}. Row-level security is bypassed: a connection of an owner would see all rows.`,
        `Let an administrator of the database run: ${BYPASS_FIX}`,
      );
  }
}

/** Returns the schema number, 0 for a database that the service has never used. */
async function schemaOf(database: Database): Promise<number> {
  const tables = await database.read((db) => db.introspection.getTables());
  if (!tables.some(({ name }) => name === 'schema_migrations')) return 0;
  const row = await database.read((db) =>
    db
      .selectFrom('schema_migrations')
      .select((eb) => eb.fn.max('number').as('number'))
      .executeTakeFirst(),
  );
  return row?.number ?? 0;
}

/** Hides the address and the driver's message, which may contain the address and so a password. */
function failure(error: unknown, file: string | undefined): Finding {
  if (error instanceof SchemaTooNewError) {
    return problem(
      `Its schema is ${error.found}, newer than the ${error.supported} that this release knows.`,
      'Start the newer release, or set DATABASE_URL to another database.',
    );
  }
  const detail = error instanceof ServiceError ? error.detail : 'It does not answer as a database should.';
  const fix =
    file === undefined
      ? 'Check that the server in DATABASE_URL is running, and its user, password and database name.'
      : `Check that ${file} is a database file that this user may write.`;
  return problem(detail, fix);
}
