// The database of a simulation: in memory, and put back to what it was when the simulation says so.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { emptyDatabase } from '../support/memory-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

export interface SimulatedDatabase {
  /** As it is for somebody who sits beside it; another one after `putBack`. */
  readonly storage: Storage;
  /** What it holds now. */
  copy(): Promise<Uint8Array>;
  /** From now on it holds this, and what uses the storage from before is lost. */
  putBack(image: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export async function openSimulatedDatabase(now: () => number): Promise<SimulatedDatabase> {
  const opened: Opened[] = [];
  const open = async (image: Uint8Array): Promise<Opened> => {
    const database = await openDatabase('sqlite::memory:', QUIET_LOG, { now, image });
    const made = { database, storage: createSqlStorage(database, machineClock(now)) };
    opened.push(made);
    return made;
  };
  let current = await open(await emptyDatabase());
  return {
    get storage() {
      return current.storage;
    },
    copy: () => imageOf(current.database),
    async putBack(image) {
      current = await open(image);
    },
    async close() {
      for (const { storage } of opened) await storage.close();
    },
  };
}

interface Opened {
  readonly database: Database;
  readonly storage: Storage;
}

/** Without waiting for the disk: time that passes there would be chance that no seed repeats. */
async function imageOf(database: Database): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'simulated-database-'));
  try {
    const path = join(folder, 'copy.db');
    await database.read((db) => sql`vacuum into ${path}`.execute(db));
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
