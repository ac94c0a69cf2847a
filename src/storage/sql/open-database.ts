// Chooses the dialect by the address and opens it.
import type { Log } from '../../log.ts';
import { createDatabase, type Database } from './database.ts';
import { openPostgresDialect } from './dialects/postgres.ts';
import { postgresFailure } from './dialects/postgres-failure.ts';
import { transactOnPostgres } from './dialects/postgres-transaction.ts';
import { withRetries } from './dialects/retry.ts';
import { createSharedTransactions } from './dialects/shared-transactions.ts';
import { openSqliteDialect } from './dialects/sqlite.ts';
import { sqliteFailure } from './dialects/sqlite-failure.ts';

const SQLITE = 'sqlite:';

/** About five seconds in all, for a writer in another process; short at first, because writes are short. */
const SQLITE_PAUSES = [2, 5, 10, 20, 40, 80, ...Array<number>(24).fill(200)];

/** A few tries for deadlocks and a restarting server; the connection has time limits of its own. */
const POSTGRES_PAUSES = [20, 100, 400, 1000];

/** The address as in `storageOptionsSchema`. Throws `unavailable` when it cannot be opened. */
export async function openDatabase(url: string, log: Log): Promise<Database> {
  return url.startsWith(SQLITE) ? openSqlite(url.slice(SQLITE.length), log) : openPostgres(url, log);
}

async function openSqlite(location: string, log: Log): Promise<Database> {
  const retry = { failureOf: sqliteFailure, pauses: SQLITE_PAUSES };
  return createDatabase({
    name: 'sqlite',
    dialect: await withRetries(retry, async () => openSqliteDialect(location, log)),
    retry,
    transact: createSharedTransactions(),
  });
}

async function openPostgres(url: string, log: Log): Promise<Database> {
  const retry = { failureOf: postgresFailure, pauses: POSTGRES_PAUSES };
  return createDatabase({
    name: 'postgres',
    ...(await openPostgresDialect(url, log)),
    retry,
    transact: (db, change) => transactOnPostgres(db, change, retry),
  });
}
