// Opens a SQLite file, or a database in memory, the way the service wants it.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Log } from '../../../log.ts';
import { bindable } from './bindable.ts';
import { createNodeSqliteDriver } from './node-sqlite-driver.ts';
import { createTurns } from './turns.ts';
import { createWalCheckpoints, WAL_CHECKPOINT_THREAD } from './wal-checkpoints.ts';

/** SQLite sleeps in the thread of the service, so it may wait a moment only; longer waits are ours, off the thread. */
const BUSY_TIMEOUT_MS = 10;

const MEMORY = ':memory:';

class BindingCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(bindable(parameter));
  }
}

/** `location` is a path or `:memory:`. A new file is readable by its owner only: it holds password hashes. */
export function openSqliteDialect(location: string, log: Log): Dialect {
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
    // A thread copies the log long before. When it cannot, a commit does, and holds the service for 100 ms and more.
    database.exec('pragma wal_autocheckpoint = 16000');
    database.exec('pragma journal_size_limit = 67108864');
  } catch (error) {
    database.close();
    throw error;
  }
  const turns = createTurns();
  const walCheckpoints =
    location === MEMORY
      ? undefined
      : createWalCheckpoints({ database, location, turns, log, script: WAL_CHECKPOINT_THREAD });
  return {
    createDriver: () => createNodeSqliteDriver(database, turns, walCheckpoints),
    createQueryCompiler: () => new BindingCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}
