// Bundles a script and its imports into one file: a process that has to find 1,600 files takes twice as long
// to start.
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/bundled-tests', import.meta.url));

/** Packages of many files. Native packages and those that start threads from their files stay unbundled. */
const OF_MANY_FILES = ['hono', 'jose', 'kysely', 'yaml', 'zod'];

/** Resolves files next to a source file there, not next to the bundle. */
const ADDRESSES: Plugin = {
  name: 'addresses',
  enforce: 'pre',
  transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
};

// A process bundles each script once, since sources do not change while tests run.
const made = new Map<string, Promise<string>>();

/** Returns the path of the bundle, which is removed with the tests. */
export function bundled(script: string): Promise<string> {
  const known = made.get(script) ?? bundle(script);
  made.set(script, known);
  return known;
}

async function bundle(script: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const outDir = await mkdtemp(join(FOLDER, 'script-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  const name = `${basename(script, '.ts')}.mjs`;
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [ADDRESSES],
    ssr: { noExternal: OF_MANY_FILES },
    build: {
      ssr: script,
      outDir,
      minify: false,
      rolldownOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
  });
  return join(outDir, name);
}
