// Throwaway Postgres databases for tests, on an existing server or on one started for them.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

export interface TestPostgres {
  /** The address of the empty database. */
  readonly url: string;
  /** Drops the database, and stops the server if this call started it. */
  close(): Promise<void>;
  /** Keeps the database, which must have no connections, under this name. */
  keepAs(name: string): Promise<void>;
}

/**
 * Never skips: without `TEST_DATABASE_URL` and without a local server it starts one, or throws. With the name
 * of another database of that server, which must have no connections, it opens a copy of that one.
 */
export async function openTestPostgres(template = 'template1'): Promise<TestPostgres> {
  const server = (await findServer()) ?? (await startPostgresServer());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server.url, `create database ${name} template ${template}`);
  // Commits need not survive a power cut here, so they do not wait for the disk.
  await onServer(server.url, `alter database ${name} set synchronous_commit to off`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    close: async () => {
      await onServer(server.url, `drop database if exists ${name} with (force)`);
      await server.stop();
    },
    keepAs: (lasting) => onServer(server.url, `alter database ${name} rename to ${lasting}`),
  };
}

async function findServer(): Promise<PostgresServer | undefined> {
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

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
