// A folder of its own for every test that asks, removed when the test is over.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'service-test-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
