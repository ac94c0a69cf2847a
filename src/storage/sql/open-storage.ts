// Opens the storage that the configuration names and brings its schema up to date.
import { sql } from 'kysely';
import type { Log } from '../../log.ts';
import { NO_OTHERS, type Notices } from '../notices.ts';
import type { Storage } from '../storage.ts';
import type { Database } from './database/database.ts';
import { createNotices } from './database/notices.ts';
import { openDatabase } from './database/open-database.ts';
import { warnOfDurabilityGaps } from './database/postgres-durability.ts';
import { enforceOwners } from './database/row-security.ts';
import { clockOfDatabase, machineClock, type SharedClock } from './database/shared-clock.ts';
import type { StorageOptions } from './database/storage-options.ts';
import { migrate } from './migrations/migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { createSqlStorage } from './sql-storage.ts';

/**
 * Opens the storage and migrates its schema. Throws `SchemaTooNewError` for a database of a newer release and
 * `ServiceError('unavailable')` when the database cannot be reached or opened.
 */
export async function openStorage(
  options: StorageOptions & {
    readonly log: Log;
    /** Replaces the clock that all processes on the database share. */
    readonly now?: (() => number) | undefined;
    /** See `onFailure` in `DatabaseDisk`. */
    readonly onDiskFailure?: () => void;
    /** The initial contents of an in-memory database, as serialized by SQLite. */
    readonly image?: Uint8Array;
  },
): Promise<Storage> {
  const disk = { onFailure: options.onDiskFailure };
  const now = options.now ?? Date.now;
  const database = await openDatabase(options.url, options.log, { now, disk, image: options.image });
  try {
    await warnOfDurabilityGaps(database, options.log);
    const clock = await clockOf(database, options.now);
    await migrate(database, MIGRATIONS, clock.now);
    if (options.row_level_security !== false) await enforceOwners(database, options.log);
    return createSqlStorage(database, clock, noticesOf(database, options.log));
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** An embedded database belongs to one process, so it needs no notices. */
function noticesOf(database: Database, log: Log): Notices {
  const { listen } = database;
  return listen === undefined ? NO_OTHERS : createNotices({ database, listen, log });
}

async function clockOf(database: Database, now: (() => number) | undefined): Promise<SharedClock> {
  if (now !== undefined) return machineClock(now);
  if (database.name === 'sqlite') return machineClock(Date.now);
  const { rows } = await database.read((db) =>
    sql<{ now: number }>`select ${database.clock} as now`.execute(db),
  );
  return clockOfDatabase(Number(rows[0]?.now ?? Date.now()), () => performance.now());
}
