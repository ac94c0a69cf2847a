// Opens a SQLite file, or a database in memory, the way the service wants it.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { bindable } from './bindable.ts';
import { createNodeSqliteDriver } from './node-sqlite-driver.ts';

/** SQLite sleeps in the thread of the service, so it may wait a moment only; longer waits are ours, off the thread. */
const BUSY_TIMEOUT_MS = 10;

const MEMORY = ':memory:';

class BindingCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(bindable(parameter));
  }
}

/** `location` is a path or `:memory:`. A new file is readable by its owner only: it holds password hashes. */
export function openSqliteDialect(location: string): Dialect {
  if (location !== MEMORY) {
    mkdirSync(dirname(location), { recursive: true });
    closeSync(openSync(location, 'a', 0o600));
  }
  const database = new DatabaseSync(location);
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Before the first table, or it has no effect.
    database.exec('pragma auto_vacuum = incremental');
    database.exec('pragma journal_mode = wal');
    database.exec('pragma synchronous = normal');
    database.exec('pragma foreign_keys = on');
    database.exec('pragma cache_size = -16000');
    database.exec('pragma temp_store = memory');
    // Pages that change often are then copied back less often; a copy holds the thread for about 15 ms.
    database.exec('pragma wal_autocheckpoint = 4000');
    database.exec('pragma journal_size_limit = 67108864');
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    createDriver: () => createNodeSqliteDriver(database),
    createQueryCompiler: () => new BindingCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}
