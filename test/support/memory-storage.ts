// Databases that start with the schema, since migrating one takes longer than most tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { QUIET_LOG } from './quiet-log.ts';

// A process makes it once, and it never changes.
const made: { image?: Promise<Uint8Array> } = {};

/** Opens an empty storage in memory, as `openStorage` does. */
export async function openMemoryStorage(
  options: Partial<Pick<Parameters<typeof openStorage>[0], 'log' | 'now'>> = {},
): Promise<Storage> {
  return openStorage({
    log: QUIET_LOG,
    ...options,
    url: 'sqlite::memory:',
    image: await emptyDatabase(),
  });
}

/** Returns the contents of a SQLite file that was migrated and is empty. */
export function emptyDatabase(): Promise<Uint8Array> {
  made.image ??= migratedImage();
  return made.image;
}

async function migratedImage(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-service-schema-'));
  const path = join(folder, 'schema.db');
  const storage = await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG });
  await storage.close();
  const database = new DatabaseSync(path);
  // The write-ahead log is a second file, which a database in memory cannot have.
  database.exec('pragma journal_mode = delete');
  const image = database.serialize();
  database.close();
  await rm(folder, { recursive: true });
  return image;
}
