// Allows one embedded service per data home, by a lock that ends with its process.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolderSync } from '../disk/sync-folder.ts';

export interface DataHomeLock {
  /** Idempotent. Only this and the end of the process, however it ends, release the lock. */
  release(): void;
}

/** Another process works on the data home. `pid` is its id, if known. */
export class DataHomeLockedError extends Error {
  override readonly name = 'DataHomeLockedError';
  readonly pid: number | undefined;

  constructor(dataHome: string, pid: number | undefined) {
    const holder = pid === undefined ? 'Another process' : `Process ${pid}`;
    super(
      `${holder} is already running on the data home ${dataHome}. Stop it, or give this one another DATA_HOME.`,
    );
    this.pid = pid;
  }
}

/**
 * Takes the data home for this process. Throws `DataHomeLockedError` when another process has it. The lock is
 * SQLite's own, on a small file. The system drops it however the process ends, so no stale lock can remain.
 */
export function lockDataHome(dataHome: string): DataHomeLock {
  makeFolderSync(dataHome, 0o700);
  const pidFile = join(dataHome, '.lock.pid');
  const database = new DatabaseSync(join(dataHome, '.lock'), { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    database.close();
    if (isBusy(error)) throw new DataHomeLockedError(dataHome, readPid(pidFile));
    throw error;
  }
  writePid(pidFile);
  held.add(database);
  return {
    release: () => {
      if (!held.delete(database)) return;
      rmSync(pidFile, { force: true });
      database.close();
    },
  };
}

/** The locks of this process. A database that nothing refers to would be collected, closed and so unlocked. */
const held = new Set<DatabaseSync>();

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

/** Beside the lock, not in it: opening and closing the locked file itself would drop the lock. */
function writePid(pidFile: string): void {
  const draft = `${pidFile}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n`, { mode: 0o600 });
  renameSync(draft, pidFile);
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}
