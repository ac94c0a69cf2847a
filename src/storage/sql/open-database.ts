// Chooses the dialect by the address and opens it.
import type { Log } from '../../log.ts';
import { createDatabase, type Database } from './database.ts';
import { withRetries } from './dialects/retry.ts';
import { openSqliteDialect } from './dialects/sqlite.ts';
import { sqliteFailure } from './dialects/sqlite-failure.ts';

/** About five seconds in all, for a writer in another process; short at first, because writes are short. */
const SQLITE_PAUSES = [2, 5, 10, 20, 40, 80, ...Array<number>(24).fill(200)];

/** The address as in `storageOptionsSchema`. Throws `unavailable` when it cannot be opened. */
export async function openDatabase(url: string, log: Log): Promise<Database> {
  void log;
  const retry = { failureOf: sqliteFailure, pauses: SQLITE_PAUSES };
  const dialect = await withRetries(retry, async () => openSqliteDialect(url.slice('sqlite:'.length)));
  return createDatabase({ name: 'sqlite', retry }, dialect);
}
