// One open database of either dialect: reads, transactions with retries, and the few differences between
// dialects.
import {
  CompiledQuery,
  type Dialect,
  Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type Transaction,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { unavailable } from '../../../errors.ts';
import { type Owner, UNSCOPED } from '../../storage.ts';
import type { Heard, Listener } from './dialects/postgres-listener.ts';
import { type RetryPolicy, withRetries } from './dialects/retry.ts';
import { type PackedText, packText } from './packed-text.ts';
import { createStatementCache, type RunStatement } from './statement-cache.ts';
import type { Tables } from './tables.ts';

/**
 * Number of cached databases by owner. They hold no resources; requests and streams of one owner share them.
 */
const OWNERS_KEPT = 1_000;

export type Connection = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;

/** What a dialect provides. */
export interface DatabaseKind {
  readonly name: 'sqlite' | 'postgres';
  readonly db: Connection;
  /** A dialect on which the database itself hides the rows of other owners. */
  ownedDialect?(owner: string): Dialect;
  /** The current time in epoch milliseconds, the same for all processes. */
  readonly clock: RawBuilder<number>;
  /** A dialect without time limits. */
  patientDialect?(): Dialect;
  readonly retry: RetryPolicy;
  /** Listens on a channel. Absent on databases without notifications. */
  listen?(channel: string, heard: Heard): Listener;
  /** Resolves when everything committed before the call is on disk. Absent, or `undefined`: it already is. */
  readonly synced?: () => Promise<void> | undefined;
  /** Tries one transaction once. Where `synced` is absent, it is on disk when the promise resolves. */
  transact<T>(db: Connection, change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
}

/**
 * Everything read or written here is durable, so it may be shown to clients. All calls throw
 * `ServiceError('unavailable')` when the database does not respond within its limits.
 */
export interface Database {
  readonly name: DatabaseKind['name'];
  /**
   * The current time in epoch milliseconds by the clock of the database, which all processes share. Times
   * that one process writes and another compares use it. It is the same moment throughout a statement.
   */
  readonly clock: RawBuilder<number>;
  /** For compiling statements. Run them through `read` or `write`. */
  readonly queries: Connection;
  /** Runs cached statements, for those that every run or request needs. */
  readonly run: RunStatement;
  /**
   * Runs a query. Resolves when what it read is durable, so it may be shown to clients and survives a power
   * cut.
   */
  read<T>(query: (db: Connection) => Promise<T>): Promise<T>;
  /**
   * Runs one transaction, which is on disk when the promise settles. `change` may run more than once, so it
   * must only use the transaction.
   */
  write<T>(change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs one statement, which may run twice when its result is lost. Saves the round trips of a transaction.
   */
  writeOnce<T>(statement: (db: Connection) => Promise<T>): Promise<T>;
  /** Runs a transaction like `write`, without time limits for statements and waits for locks. */
  writePatiently<T>(change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Locks the selected rows against other writers until the transaction ends (SQLite has one writer anyway).
   */
  locked<TB extends keyof Tables, O>(
    query: SelectQueryBuilder<Tables, TB, O>,
  ): SelectQueryBuilder<Tables, TB, O>;
  /** Returns the text as stored in a column that may be packed. */
  packed(text: string): PackedText;
  /** As in `DatabaseKind`. */
  readonly listen: DatabaseKind['listen'];
  /** Returns the space of deleted rows to the disk, a bounded amount at a time. */
  reclaimSpace(): Promise<void>;
  /**
   * Returns the same database as seen by this owner. After `enforceOwners`, it hides the rows of other
   * owners. Queries over the rows of several owners must not use it.
   */
  ownedBy(owner: Owner): Database;
  enforceOwners(): void;
  /**
   * The same database ahead of the disk, for internal work: nothing waits, and a power cut may undo what was
   * read or written. Later writes reach the disk after earlier ones. Before `onDisk` resolves, none of it may
   * be shown to clients or cause anything that cannot be repeated.
   */
  readonly ahead: Database;
  /** Resolves when everything committed so far is on disk. Throws `unavailable` when the disk refuses. */
  onDisk(): Promise<void>;
  close(): Promise<void>;
}

/** What the views of one database share. */
interface OpenDatabase {
  readonly kind: DatabaseKind;
  readonly db: Connection;
  readonly run: RunStatement;
  isClosed: boolean;
  /** True when the database isolates owners. */
  isEnforced: boolean;
}

/** Wraps a call with what it waits for before it settles. */
type Settled = <T>(call: () => Promise<T>) => Promise<T>;

export function createDatabase(kind: DatabaseKind): Database {
  const { db } = kind;
  const open: OpenDatabase = { kind, db, run: createStatementCache(db), isClosed: false, isEnforced: false };
  const { synced } = kind;
  // Without `synced`, every commit is already on disk.
  if (synced === undefined) return databaseOn(open, (call) => call());
  const ahead = databaseOn(open, (call) => call());
  const afterDisk: Settled = async (call) => {
    try {
      return await call();
    } finally {
      await synced();
    }
  };
  return databaseOn(open, afterDisk, ahead);
}

/** Without `ahead`, the database is its own `ahead`. */
function databaseOn(open: OpenDatabase, settled: Settled, ahead?: Database): Database {
  const { kind, db, run } = open;
  // `max` instead of `maxSize` would allocate all entries up front.
  const ownedDatabases = new LRUCache<string, Database>({ maxSize: OWNERS_KEPT, sizeCalculation: () => 1 });
  const attempt: Settled = (call) => {
    if (open.isClosed) return Promise.reject(unavailable('The service is stopping; its database is closed.'));
    return settled(() => withRetries(kind.retry, call));
  };
  const askedOn = (connection: Connection): Pick<Database, 'read' | 'write' | 'writeOnce'> => ({
    read: (query) => attempt(() => query(connection)),
    write: (change) => attempt(() => kind.transact(connection, change)),
    // SQLite needs a transaction: each one reports its commit to the parts that sync and checkpoint.
    writeOnce: (statement) =>
      attempt(() =>
        kind.name === 'postgres' ? statement(connection) : kind.transact(connection, statement),
      ),
  });

  const database: Database = {
    name: kind.name,
    clock: kind.clock,
    queries: db,
    run,
    listen: kind.listen?.bind(kind),
    ...askedOn(db),
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
      if (!open.isEnforced || owner === UNSCOPED || kind.ownedDialect === undefined) return database;
      const known = ownedDatabases.get(owner);
      if (known !== undefined) return known;
      const owned = new Kysely<Tables>({ dialect: kind.ownedDialect(owner) });
      const created: Database = {
        ...database,
        ...askedOn(owned),
        get ahead() {
          return ahead?.ownedBy(owner) ?? created;
        },
      };
      ownedDatabases.set(owner, created);
      return created;
    },
    enforceOwners: () => {
      open.isEnforced = true;
    },
    get ahead() {
      return ahead ?? database;
    },
    onDisk: async () => kind.synced?.(),
    close: async () => {
      open.isClosed = true;
      await db.destroy();
    },
  };
  return database;
}
