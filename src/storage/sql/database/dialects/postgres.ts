// Opens pools of connections to a Postgres server, with the service's settings.
import { PostgresDialect } from 'kysely';
import type { Log } from '../../../../log.ts';
import { createOwnedPools } from './owned-pool.ts';
import { createPreparedClients, createStatementNames } from './prepared-client.ts';

/** The type of `bigint` columns. They hold times and counters, which a number represents exactly. */
const BIGINT = 20;

/** Milliseconds that a responsive database never needs. */
const LIMITS = { statement_timeout: 10_000, lock_timeout: 5000, query_timeout: 15_000 };

/**
 * Creates the dialects. They connect when the first statement runs. Except on `patientDialect`, statements
 * and waits for locks are limited.
 */
export async function openPostgresDialect(url: string, log: Log) {
  const open = await loadPools(url, log);
  const pool = open(LIMITS);
  // Setting the owner before the first statement needs no separate round trip.
  const owned = open({ ...LIMITS, pipeline: true });
  const names = createStatementNames();
  const connect = createPreparedClients(() => pool.connect(), names);
  const poolOf = createOwnedPools(createPreparedClients(() => owned.connect(), names));
  const end = async () => void (await Promise.all([pool.end(), owned.end()]));
  return {
    dialect: new PostgresDialect({ pool: { connect, end, options: {} } }),
    /** Runs as the owner, on separate connections. See `createOwnedPools`. */
    ownedDialect: (owner: string) => new PostgresDialect({ pool: poolOf(owner) }),
    /** Runs on a separate connection, without limits. For migrations, whose values have no NUL. */
    patientDialect: () => new PostgresDialect({ pool: async () => open({}) }),
  };
}

/** Loads the driver, which only services on Postgres need. */
async function loadPools(url: string, log: Log) {
  const { Pool, types } = await import('pg');
  return (options: Partial<typeof LIMITS> & { readonly pipeline?: boolean }) => {
    const pool = new Pool({
      ...options,
      connectionString: url,
      max: 10,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      // Plans made for small tables do not outlive them for long, regardless of when the server counts their
      // rows again.
      maxLifetimeSeconds: 600,
      // Locks of a process that stalls in a transaction are freed before its runs can be taken over.
      idle_in_transaction_session_timeout: 5_000,
      types: {
        getTypeParser: (oid: number, format?: 'text' | 'binary') =>
          oid === BIGINT ? Number : types.getTypeParser(oid, format),
      },
    });
    // A broken connection is replaced when the next one is needed. Without listeners it would end the
    // process. Only the message is logged, because the error may carry the whole client.
    pool.on('connect', (client) => {
      client.on('error', (error) => log.warn({ reason: error.message }, 'lost a connection to the database'));
    });
    pool.on('error', () => {});
    return pool;
  };
}
