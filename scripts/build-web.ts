// Builds the web app when its sources changed since the last build; run by `npm ci` and by the service at start.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(ROOT, 'web');
const DIST = join(WEB, 'dist');
const HASH_FILE = '.sources-hash';
const NOT_SOURCES = new Set(['dist', 'node_modules']);

process.exitCode = await buildWhenChanged();

/** 1 when the sources do not build. */
async function buildWhenChanged(): Promise<0 | 1> {
  if (!existsSync(join(WEB, 'vite.config.ts'))) return 0;
  const hash = await hashOfSources();
  if (hash === (await readFile(join(DIST, HASH_FILE), 'utf8').catch(() => ''))) return 0;
  const vite = viteProgram();
  if (vite === undefined) {
    // Not a failure: npm runs this script also where nothing, or no development package, is installed.
    console.error('The web app is not built: vite is not installed. `npm ci` installs it.');
    return 0;
  }
  const startedAt = Date.now();
  const draft = join(ROOT, 'node_modules', '.cache', `web-${process.pid}`);
  try {
    const { code, output } = await runVite(vite, draft);
    if (code !== 0) {
      console.error(`The web app could not be built:\n${output}`);
      return 1;
    }
    await writeFile(join(draft, HASH_FILE), hash);
    await putInPlace(draft);
    console.log(`Built the web app in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
    return 0;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const files = [...(await filesBelow(WEB)), join(ROOT, 'package-lock.json')];
  for (const file of files) {
    const content = await readFile(file);
    hash.update(`${file.slice(ROOT.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sources = entries.filter(({ name }) => !NOT_SOURCES.has(name));
  const nested = await Promise.all(
    sources.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    }),
  );
  return nested.flat().sort();
}

function viteProgram(): string | undefined {
  try {
    const manifest = createRequire(join(WEB, 'package.json')).resolve('vite/package.json');
    return join(dirname(manifest), 'bin', 'vite.js');
  } catch {
    return undefined;
  }
}

/** Its own folder, so that a build that fails leaves the one that is being served alone. */
async function runVite(
  program: string,
  draft: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  await mkdir(dirname(draft), { recursive: true });
  const args = [program, 'build', '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn'];
  // Whatever the one who starts it works on: `test` or `development` would build the slow React for developers.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { cwd: WEB, env, stdio: ['ignore', 'pipe', 'pipe'] });
  // Stopping this script stops the build; the draft is then removed as after any failure.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output };
}

/** Another process may do the same concurrently: the second one finds an equal build in place. */
async function putInPlace(draft: string): Promise<void> {
  const old = `${draft}.old`;
  await rename(DIST, old).catch(unless('ENOENT'));
  await rename(draft, DIST).catch(unless('ENOTEMPTY', 'EEXIST'));
  await rm(old, { recursive: true, force: true });
}

function unless(...codes: readonly string[]) {
  return (error: NodeJS.ErrnoException): void => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}
