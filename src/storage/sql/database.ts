// One open database, whichever dialect: reads, transactions that retry, and the few things that differ.
import { CompiledQuery, type Dialect, Kysely, type SelectQueryBuilder, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { unavailable } from '../../errors.ts';
import { type Owner, UNSCOPED } from '../storage.ts';
import { type RetryPolicy, withRetries } from './dialects/retry.ts';
import { createKeptStatements, type RunStatement } from './kept-statements.ts';
import { type PackedText, packText } from './packed-text.ts';
import type { Tables } from './tables.ts';

/** They hold nothing of their own: requests and streams of one owner share them. */
const OWNERS_KEPT = 1_000;

export type Connection = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;

/** What a dialect brings along. */
export interface DatabaseKind {
  readonly name: 'sqlite' | 'postgres';
  readonly dialect: Dialect;
  /** Statements of which the database itself shows an owner no row of anybody else. */
  ownedDialect?(owner: string): Dialect;
  /** Statements that may take as long as they take. */
  patientDialect?(): Dialect;
  readonly retry: RetryPolicy;
  /** One try of one transaction. */
  transact<T>(db: Connection, change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
}

/** All calls throw `ServiceError('unavailable')` when the database does not answer within its limits. */
export interface Database {
  readonly name: DatabaseKind['name'];
  /** For compiling statements; run them through `read` or `write`. */
  readonly queries: Connection;
  /** For what every run or request asks. */
  readonly run: RunStatement;
  read<T>(query: (db: Connection) => Promise<T>): Promise<T>;
  /** One transaction. `change` may run more than once, so it does nothing but talk to the transaction. */
  write<T>(change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
  /** The same without the limits that a statement and a wait for a lock have otherwise. */
  writePatiently<T>(change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
  /** Keeps the selected rows from other writers until the transaction ends (SQLite has one writer anyway). */
  locked<TB extends keyof Tables, O>(
    query: SelectQueryBuilder<Tables, TB, O>,
  ): SelectQueryBuilder<Tables, TB, O>;
  /** A text as a column that may be packed holds it. */
  packed(text: string): PackedText;
  /** Gives space that deleted rows took back to the disk, a bounded amount at a time. */
  reclaimSpace(): Promise<void>;
  /**
   * The same database, asked as this owner: once `enforceOwners` was called, it shows no row of anybody else. What must
   * see the rows of several owners does not go through here.
   */
  ownedBy(owner: Owner): Database;
  enforceOwners(): void;
  close(): Promise<void>;
}

export function createDatabase(kind: DatabaseKind): Database {
  const db = new Kysely<Tables>({ dialect: kind.dialect });
  let closed = false;
  let enforced = false;
  const ownedDatabases = new LRUCache<string, Database>({ max: OWNERS_KEPT });

  const attempt = <T>(call: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(unavailable('The service is stopping; its database is closed.'));
    return withRetries(kind.retry, call);
  };

  const database: Database = {
    name: kind.name,
    queries: db,
    run: createKeptStatements(db),
    read: (query) => attempt(() => query(db)),
    write: (change) => attempt(() => kind.transact(db, change)),
    writePatiently: async (change) => {
      if (kind.patientDialect === undefined) return database.write(change);
      const patient = new Kysely<Tables>({ dialect: kind.patientDialect() });
      try {
        return await attempt(() => kind.transact(patient, change));
      } finally {
        await patient.destroy();
      }
    },
    locked: (query) => (kind.name === 'postgres' ? query.forUpdate() : query),
    packed: (text) => (kind.name === 'sqlite' ? packText(text) : text),
    reclaimSpace: async () => {
      if (kind.name !== 'sqlite') return;
      await attempt(() => db.executeQuery(CompiledQuery.raw('pragma incremental_vacuum(512)')));
    },
    ownedBy(owner) {
      if (!enforced || owner === UNSCOPED || kind.ownedDialect === undefined) return database;
      const known = ownedDatabases.get(owner);
      if (known !== undefined) return known;
      const owned = new Kysely<Tables>({ dialect: kind.ownedDialect(owner) });
      const created: Database = {
        ...database,
        read: (query) => attempt(() => query(owned)),
        write: (change) => attempt(() => kind.transact(owned, change)),
      };
      ownedDatabases.set(owner, created);
      return created;
    },
    enforceOwners: () => {
      enforced = true;
    },
    close: async () => {
      closed = true;
      await db.destroy();
    },
  };
  return database;
}
