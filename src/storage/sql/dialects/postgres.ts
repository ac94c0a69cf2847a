// Opens a pool of connections to a Postgres server, the way the service wants it.
import { type Dialect, PostgresDialect, PostgresQueryCompiler } from 'kysely';
import type { Log } from '../../../log.ts';
import { bindable } from './bindable.ts';

/** `bigint` columns hold times and counters, which a number holds exactly. */
const BIGINT = 20;

class BindingCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(bindable(parameter));
  }
}

/** Connects when the first statement runs; no statement and no wait for a lock goes on without a limit. */
export async function openPostgresDialect(url: string, log: Log): Promise<Dialect> {
  // Loaded by services that use it.
  const { Pool, types } = await import('pg');
  const pool = new Pool({
    connectionString: url,
    max: 10,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
    lock_timeout: 5000,
    query_timeout: 15_000,
    // What a process holds that stands still in a transaction is free again before its runs are to be taken over.
    idle_in_transaction_session_timeout: 5_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === BIGINT ? Number : types.getTypeParser(oid, format),
    },
  });
  // A connection that breaks is replaced when the next one is needed; without listeners it would end the process. The
  // message only: the error may carry the whole client.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ reason: error.message }, 'lost a connection to the database'));
  });
  pool.on('error', () => {});
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => new BindingCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}
