// Opens a pool of connections to a Postgres server, the way the service wants it.
import { type Dialect, PostgresDialect, PostgresQueryCompiler } from 'kysely';
import type { Log } from '../../../../log.ts';
import { bindable } from '../packed-text.ts';
import { createOwnedPools } from './owned-pool.ts';
import { createPreparedClients, createStatementNames } from './prepared-client.ts';

/** `bigint` columns hold times and counters, which a number holds exactly. */
const BIGINT = 20;

class BindingCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(bindable(parameter));
  }
}

export interface PostgresDialects {
  readonly dialect: Dialect;
  /** On connections of their own, as the owner: see `createOwnedPools`. */
  ownedDialect(owner: string): Dialect;
  /** On a connection of its own, without limits. */
  patientDialect(): Dialect;
}

/** What a database that answers never needs. */
const LIMITS = { statement_timeout: 10_000, lock_timeout: 5000, query_timeout: 15_000 };

/** Connects when the first statement runs; no statement and no wait for a lock goes on without a limit, unless asked. */
export async function openPostgresDialect(url: string, log: Log): Promise<PostgresDialects> {
  const open = await loadPools(url, log);
  const pool = open(LIMITS);
  // What is said before the first statement of an owner needs no round trip of its own.
  const owned = open({ ...LIMITS, pipeline: true });
  const names = createStatementNames();
  const connect = createPreparedClients(() => pool.connect(), names);
  const poolOf = createOwnedPools(createPreparedClients(() => owned.connect(), names));
  const end = async () => void (await Promise.all([pool.end(), owned.end()]));
  return {
    dialect: bindingDialect(new PostgresDialect({ pool: { connect, end, options: {} } })),
    ownedDialect: (owner) => bindingDialect(new PostgresDialect({ pool: poolOf(owner) })),
    patientDialect: () => bindingDialect(new PostgresDialect({ pool: async () => open({}) })),
  };
}

/** The driver is loaded by services that use it. */
async function loadPools(url: string, log: Log) {
  const { Pool, types } = await import('pg');
  return (options: Partial<typeof LIMITS> & { readonly pipeline?: boolean }) => {
    const pool = new Pool({
      ...options,
      connectionString: url,
      max: 10,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      // Plans that were made for small tables do not outlive them for long, whenever the server counts their rows again.
      maxLifetimeSeconds: 600,
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
    return pool;
  };
}

function bindingDialect(dialect: PostgresDialect): Dialect {
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => new BindingCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}
