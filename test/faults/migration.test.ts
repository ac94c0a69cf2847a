// A kill in the middle of a migration (reliability F13).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./migrating-process.ts'));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migration-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function migrateAndDie(url: string, step: number): Promise<string | null> {
  const child = spawn(process.execPath, [SCRIPT, url, `${step}`], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.signalCode;
}

it.each(MIGRATIONS.map((_, index) => index + 1))(
  '[fault.F13] killed in migration %i, the next start finds all of it or nothing, and goes on',
  async (step) => {
    const path = join(folder, `${step}.db`);
    expect(await migrateAndDie(`sqlite:${path}`, step)).toBe('SIGKILL');
    const database = new DatabaseSync(path);
    expect(database.prepare('select name from sqlite_master').all()).toEqual([]);
    database.close();
    const storage = await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG });
    await storage.checkWritable();
    await storage.close();
  },
);
