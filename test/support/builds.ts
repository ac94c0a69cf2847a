// Before the first test: builds the service and the web app of the current sources, once for all workers.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));

export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [SCRIPT]);
}
