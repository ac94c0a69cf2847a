// Builds the service and the web app when their sources changed since the last build. Run by `npm ci`, before the tests,
// and by the service once it has started.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Build,
  filesIn,
  isCurrent,
  partsIn,
  SERVICE_BUILD,
  STAMP_FILE,
  stampOf,
  WEB_BUILD,
  writeStamp,
} from '../src/cli/builds.ts';
import { bundle } from './bundle.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(ROOT, 'web');
const MAIN = join(ROOT, 'src', 'main.ts');
const CACHE = join(ROOT, 'node_modules', '.cache');
const LOCK_FILE = join(CACHE, 'build-lock.db');
const LOCK_AGAIN_MS = 100;
const SQLITE_BUSY = 5;
/** The files that name the others. */
const ENTRIES = new Set(['main.mjs', 'index.html']);

/** Builds into this folder. Throws an error with the output of the builder. */
type Make = (folder: string) => Promise<void>;

/** A build that is stopped is removed as one that failed. */
const stopped = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort());

process.exitCode = await buildWhatChanged();

/** 1 when some sources do not build. */
async function buildWhatChanged(): Promise<0 | 1> {
  const program = viteProgram();
  if (program === undefined) {
    // Not a failure: npm runs this script also where nothing, or no development package, is installed.
    console.error('The web app is not built: vite is not installed. `npm ci` installs it.');
    return 0;
  }
  const isServiceBuilt = await buildWhenChanged('service', SERVICE_BUILD, bundleService);
  const isWebBuilt = await buildWhenChanged('web app', WEB_BUILD, (folder) => runVite(program, folder));
  return isServiceBuilt && isWebBuilt ? 0 : 1;
}

async function buildWhenChanged(name: string, build: Build, make: Make): Promise<boolean> {
  if (isCurrent(build) || !existsSync(dirname(build.folder))) return true;
  if (stopped.signal.aborted) return false;
  // Its own folder, so that a build that fails leaves the one that is in use alone.
  const draft = join(CACHE, `${name.replace(' ', '-')}-${process.pid}`);
  let lock: DatabaseSync | undefined;
  try {
    await mkdir(CACHE, { recursive: true });
    lock = await takeLock();
    if (isCurrent(build)) return true;
    const startedAt = Date.now();
    const stamp = stampOf(build);
    await make(draft);
    writeStamp(draft, stamp);
    await putInPlace(draft, build);
    console.log(`Built the ${name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
    return true;
  } catch (error) {
    console.error(`The ${name} could not be built:\n${error instanceof Error ? error.message : error}`);
    return false;
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock?.close();
  }
}

/**
 * Waits until no other process builds: two builds of different sources would leave files of both. The end of the
 * process, however it ends, releases the lock. Throws when the build is stopped.
 */
async function takeLock(): Promise<DatabaseSync> {
  const database = new DatabaseSync(LOCK_FILE, { timeout: 0 });
  for (;;) {
    try {
      database.exec('begin exclusive');
      return database;
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
      await pause(LOCK_AGAIN_MS, undefined, stopped);
    }
  }
}

function bundleService(folder: string): Promise<void> {
  return bundle({ script: MAIN, folder, home: SERVICE_BUILD.folder });
}

function viteProgram(): string | undefined {
  try {
    const manifest = createRequire(join(WEB, 'package.json')).resolve('vite/package.json');
    return join(dirname(manifest), 'bin', 'vite.js');
  } catch {
    return undefined;
  }
}

async function runVite(program: string, folder: string): Promise<void> {
  const args = [program, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  // Whatever the one who starts it works on: `test` or `development` would build the slow React for developers.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { signal } = stopped;
  const child = spawn(process.execPath, args, { cwd: WEB, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
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
  if (code !== 0) throw new Error(output || `vite ended with exit code ${code}.`);
}

/**
 * File by file, what others name last: whoever starts the service or opens a page meanwhile finds all that it needs. Parts
 * of the previous build stay until the build after this one, because processes and open pages load them later.
 */
async function putInPlace(draft: string, build: Build): Promise<void> {
  const { folder } = build;
  const parts = partsIn(draft);
  const kept = new Set([...parts, ...partsIn(folder), STAMP_FILE]);
  const entries = parts.filter((it) => ENTRIES.has(it));
  for (const part of [...parts.filter((it) => !ENTRIES.has(it)), ...entries, STAMP_FILE]) {
    await mkdir(dirname(join(folder, part)), { recursive: true });
    await rename(join(draft, part), join(folder, part));
  }
  const stale = filesIn(folder).filter((it) => !kept.has(it));
  for (const file of stale) await rm(join(folder, file), { force: true });
}
