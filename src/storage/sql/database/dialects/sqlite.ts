// Opens a SQLite file or an in-memory database with the service's settings, and interprets its errors.
import { closeSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { makeFolderSync, syncFolderSync } from '../../../../disk/sync-folder.ts';
import type { Log } from '../../../../log.ts';
import { createCommitSync, type Flush } from './commit-sync.ts';
import { createNodeSqliteDriver } from './node-sqlite-driver.ts';
import { DEFECT, type DialectFailure } from './retry.ts';
import { createTurns, type Turns } from './turns.ts';
import { createWalCheckpoints, WAL_CHECKPOINT_THREAD } from './wal-checkpoints.ts';

/**
 * SQLite blocks the service's thread while it waits, so it waits only briefly. Longer waits happen outside
 * SQLite.
 */
const BUSY_TIMEOUT_MS = 10;

const MEMORY = ':memory:';

/** Returns the time in epoch milliseconds. */
export const SQLITE_CLOCK_FUNCTION = 'clock_ms';

/** The disk under a database file. */
export interface DatabaseDisk {
  /**
   * Called once, when the disk has refused to store what was written. Every call fails from then on and the
   * process must end, because only a new process can find out what is on disk.
   */
  readonly onFailure?: (() => void) | undefined;
  readonly flush?: Flush;
}

interface SqliteWanted {
  /** A path, or `:memory:`. */
  readonly location: string;
  readonly log: Log;
  readonly now: () => number;
  readonly disk: DatabaseDisk;
  /** The initial contents of an in-memory database, as serialized by SQLite. */
  readonly image?: Uint8Array | undefined;
}

/** Opens the database. Only its owner can read a new file, because it holds password hashes. */
export function openSqliteDialect(wanted: SqliteWanted) {
  const { location, now, image } = wanted;
  const inMemory = location === MEMORY;
  if (!inMemory) {
    makeFolderSync(dirname(location));
    closeSync(openSync(location, 'a', 0o600));
  }
  const database = new DatabaseSync(location);
  try {
    if (inMemory && image !== undefined) database.deserialize(image);
    database.function(SQLITE_CLOCK_FUNCTION, () => now());
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Has an effect only before the first table.
    database.exec('pragma auto_vacuum = incremental');
    database.exec('pragma journal_mode = wal');
    database.exec('pragma synchronous = normal');
    database.exec('pragma foreign_keys = on');
    database.exec('pragma cache_size = -16000');
    database.exec('pragma temp_store = memory');
    // A thread copies the log long before this limit. When it cannot, a commit does, and blocks the service
    // for 100 ms or more.
    database.exec('pragma wal_autocheckpoint = 16000');
    database.exec('pragma journal_size_limit = 67108864');
    const turns = createTurns();
    const { walCheckpoints, commitSync } = inMemory ? NOTHING : onDisk({ ...wanted, database, turns });
    const dialect = {
      createDriver: () => createNodeSqliteDriver({ database, turns, walCheckpoints, commitSync }),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    };
    return { dialect, commitSync };
  } catch (error) {
    database.close();
    throw error;
  }
}

const NOTHING = { walCheckpoints: undefined, commitSync: undefined } as const;

interface OpenedFile extends SqliteWanted {
  readonly database: DatabaseSync;
  readonly turns: Turns;
}

function onDisk({ database, turns, location, log, disk }: OpenedFile) {
  // Opens or creates the log. What a killed process left in it may not be on disk, and a process that ended
  // because the disk refused left pages that are only in memory. Copying them into the file puts all of it on
  // disk.
  database.exec('pragma wal_checkpoint(passive)');
  // SQLite follows links to the file and puts its log beside the target.
  const file = realpathSync(location);
  syncFolderSync(dirname(file));
  const onFailure = (error: Error) => {
    log.error({ err: error }, 'the disk of the database failed to store a write');
    disk.onFailure?.();
  };
  return {
    walCheckpoints: createWalCheckpoints({ database, location, turns, log, script: WAL_CHECKPOINT_THREAD }),
    commitSync: createCommitSync({ ...disk, database, logPath: `${file}-wal`, onFailure }),
  };
}

const CANNOT_OPEN: DialectFailure = {
  kind: 'refused',
  detail: 'The database file cannot be opened; check its folder and permissions.',
};

/** Primary result codes (sqlite.org/rescode.html). */
const MEANINGS = new Map<number, DialectFailure>([
  [5, { kind: 'retry', detail: 'The database is locked by another process; try again in a moment.' }],
  [6, { kind: 'retry', detail: 'The database is locked; try again in a moment.' }],
  [7, { kind: 'refused', detail: 'The machine is out of memory for the database.' }],
  [8, { kind: 'refused', detail: 'The database file is read-only; make it writable for the service.' }],
  [
    10,
    { kind: 'refused', detail: 'The disk of the database is failing; check the disk and its free space.' },
  ],
  [11, { kind: 'refused', detail: 'The database file is damaged; restore it from a backup.' }],
  [13, { kind: 'refused', detail: 'The disk of the database is full; free some space and try again.' }],
  [14, CANNOT_OPEN],
  [26, { kind: 'refused', detail: 'The database file is not a SQLite database; check the configured path.' }],
]);

/** File system errors that occur before SQLite opens the file. Retrying does not help. */
const FILE_ERRORS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOSPC', 'EMFILE']);

/** Returns the meaning of an error of SQLite. */
export function sqliteFailure(error: unknown): DialectFailure {
  if (!(error instanceof Error)) return DEFECT;
  if ('errcode' in error && typeof error.errcode === 'number') {
    return MEANINGS.get(error.errcode & 0xff) ?? DEFECT;
  }
  const isOfFile = 'code' in error && typeof error.code === 'string' && FILE_ERRORS.has(error.code);
  return isOfFile ? CANNOT_OPEN : DEFECT;
}
