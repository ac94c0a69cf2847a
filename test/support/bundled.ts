// Bundles a script and its imports for processes of it, as the service is built for its own.
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../scripts/bundle.ts';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/bundled-tests', import.meta.url));

// A process bundles each script once, since sources do not change while tests run.
const made = new Map<string, Promise<string>>();

/** Returns the path of the bundle, which is removed with the tests. */
export function bundled(script: string): Promise<string> {
  const known = made.get(script) ?? make(script);
  made.set(script, known);
  return known;
}

async function make(script: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(join(FOLDER, 'script-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await bundle({ script, folder, home: folder });
  return join(folder, 'main.mjs');
}
