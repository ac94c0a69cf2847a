// Opens the database in the dialect that its address selects.
import { Kysely, sql } from 'kysely';
import type { Log } from '../../../log.ts';
import { createDatabase, type Database } from './database.ts';
import { connectDirectly } from './dialects/direct-connection.ts';
import { openPostgresDialect } from './dialects/postgres.ts';
import { postgresFailure } from './dialects/postgres-failure.ts';
import { listenOnPostgres } from './dialects/postgres-listener.ts';
import { transactOnPostgres } from './dialects/postgres-transaction.ts';
import { withRetries } from './dialects/retry.ts';
import { createSharedTransactions } from './dialects/shared-transactions.ts';
import {
  type DatabaseDisk,
  openSqliteDialect,
  SQLITE_CLOCK_FUNCTION,
  sqliteFailure,
} from './dialects/sqlite.ts';
import type { Tables } from './tables.ts';

const SQLITE = 'sqlite:';

/**
 * Milliseconds, about five seconds in all, for a writer in another process. Short at first, because writes
 * are short.
 */
const SQLITE_PAUSES = [2, 5, 10, 20, 40, 80, ...Array<number>(24).fill(200)];

/**
 * Milliseconds between the tries, for deadlocks and a restarting server. The connection has its own time
 * limits.
 */
const POSTGRES_PAUSES = [20, 100, 400, 1000];

/** A subquery, so that it is one moment for the whole statement and can be used in an index lookup. */
const POSTGRES_CLOCK = sql<number>`(select (extract(epoch from clock_timestamp()) * 1000)::bigint)`;
const SQLITE_CLOCK = sql<number>`(select ${sql.raw(SQLITE_CLOCK_FUNCTION)}())`;

/** The environment of a local database. A server has its own. */
interface Ground {
  readonly now?: () => number;
  readonly disk?: DatabaseDisk;
  /** As in `openSqliteDialect`. */
  readonly image?: Uint8Array | undefined;
}

/**
 * Opens the database at an address as in `storageOptionsSchema`. Throws `unavailable` when it cannot be
 * opened.
 */
export async function openDatabase(url: string, log: Log, ground: Ground = {}): Promise<Database> {
  if (!url.startsWith(SQLITE)) return openPostgres(url, log);
  const { now = Date.now, disk = {}, image } = ground;
  return openSqlite({ location: url.slice(SQLITE.length), log, now, disk, image });
}

async function openSqlite(wanted: Parameters<typeof openSqliteDialect>[0]): Promise<Database> {
  const retry = { failureOf: sqliteFailure, pauses: SQLITE_PAUSES };
  const { dialect, commitSync } = await withRetries(retry, async () => openSqliteDialect(wanted));
  const { db, inTransaction } = connectDirectly<Tables>(dialect);
  const transact = createSharedTransactions(inTransaction);
  return createDatabase({
    name: 'sqlite',
    db,
    clock: SQLITE_CLOCK,
    retry,
    transact: (_db, change) => transact(change),
    ...(commitSync !== undefined && { synced: () => commitSync.synced() }),
  });
}

async function openPostgres(url: string, log: Log): Promise<Database> {
  const retry = { failureOf: postgresFailure, pauses: POSTGRES_PAUSES };
  const { dialect, ...others } = await openPostgresDialect(url, log);
  return createDatabase({
    name: 'postgres',
    db: new Kysely<Tables>({ dialect }),
    ...others,
    listen: (channel, heard) => listenOnPostgres(url, { channel, heard }),
    clock: POSTGRES_CLOCK,
    retry,
    transact: (db, change) => transactOnPostgres(db, change, retry),
  });
}
