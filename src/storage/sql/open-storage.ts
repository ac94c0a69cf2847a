// Opens the storage that the configuration names and brings its schema up to date.
import type { Log } from '../../log.ts';
import type { Storage } from '../storage.ts';
import { migrate } from './migrations/migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openDatabase } from './open-database.ts';
import { enforceOwners } from './row-security.ts';
import { createSqlStorage } from './sql-storage.ts';
import type { StorageOptions } from './storage-options.ts';

/**
 * Throws `SchemaTooNewError` on a database of a newer release, `ServiceError('unavailable')` when the database
 * cannot be reached or opened.
 */
export async function openStorage(
  options: StorageOptions & { readonly log: Log; readonly now?: () => number },
): Promise<Storage> {
  const now = options.now ?? Date.now;
  const database = await openDatabase(options.url, options.log);
  try {
    await migrate(database, MIGRATIONS, now);
    if (options.row_level_security !== false) await enforceOwners(database, options.log);
  } catch (error) {
    await database.close();
    throw error;
  }
  return createSqlStorage(database, now);
}
