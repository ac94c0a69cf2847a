// One open database, whichever dialect: reads, transactions that retry, and the few things that differ.
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

/** They hold nothing of their own: requests and streams of one owner share them. */
const OWNERS_KEPT = 1_000;

export type Connection = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;

/** What a dialect brings along. */
export interface DatabaseKind {
  readonly name: 'sqlite' | 'postgres';
  readonly db: Connection;
  /** Statements of which the database itself shows an owner no row of anybody else. */
  ownedDialect?(owner: string): Dialect;
  /** The time in epoch milliseconds, the same for all processes. */
  readonly clock: RawBuilder<number>;
  /** Statements that may take as long as they take. */
  patientDialect?(): Dialect;
  readonly retry: RetryPolicy;
  /** Listens on a channel, where the database has notifications. */
  listen?(channel: string, heard: Heard): Listener;
  /** Resolves when everything that is committed at the call is on the disk; absent, or `undefined`: it is. */
  readonly synced?: () => Promise<void> | undefined;
  /** One try of one transaction. Where `synced` is absent it is on the disk when it resolves. */
  transact<T>(db: Connection, change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
}

/**
 * Everything read or written here is durable, so it may be shown to clients. All calls throw
 * `ServiceError('unavailable')` when the database does not answer within its limits.
 */
export interface Database {
  readonly name: DatabaseKind['name'];
  /**
   * The time in epoch milliseconds by the clock of the database, which all processes share: what one writes and another
   * compares is reckoned with it. The same moment wherever it stands in a statement.
   */
  readonly clock: RawBuilder<number>;
  /** For compiling statements; run them through `read` or `write`. */
  readonly queries: Connection;
  /** For what every run or request asks. */
  readonly run: RunStatement;
  /** Resolves when what the query saw is durable: it may be shown to clients and survives a power cut. */
  read<T>(query: (db: Connection) => Promise<T>): Promise<T>;
  /** One transaction, on the disk when it settles. `change` may run more than once, so it does nothing but talk to the transaction. */
  write<T>(change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
  /** One statement that may run twice when its result is lost; saves the round trips of a transaction. */
  writeOnce<T>(statement: (db: Connection) => Promise<T>): Promise<T>;
  /** The same without the limits that a statement and a wait for a lock have otherwise. */
  writePatiently<T>(change: (trx: WriteTransaction) => Promise<T>): Promise<T>;
  /** Keeps the selected rows from other writers until the transaction ends (SQLite has one writer anyway). */
  locked<TB extends keyof Tables, O>(
    query: SelectQueryBuilder<Tables, TB, O>,
  ): SelectQueryBuilder<Tables, TB, O>;
  /** A text as a column that may be packed holds it. */
  packed(text: string): PackedText;
  /** As in `DatabaseKind`. */
  readonly listen: DatabaseKind['listen'];
  /** Gives space that deleted rows took back to the disk, a bounded amount at a time. */
  reclaimSpace(): Promise<void>;
  /**
   * The same database, asked as this owner: once `enforceOwners` was called, it shows no row of anybody else. What must
   * see the rows of several owners does not go through here.
   */
  ownedBy(owner: Owner): Database;
  enforceOwners(): void;
  /**
   * The same database ahead of the disk, for internal work: nothing waits, and a power cut may undo what was read or
   * written. Later writes reach the disk after earlier ones. Before `onDisk` resolves, nothing of it may be shown to
   * clients, and nothing that cannot be repeated may be done because of it.
   */
  readonly ahead: Database;
  /** Resolves when everything that was committed until now is on the disk. Throws `unavailable` when the disk refuses. */
  onDisk(): Promise<void>;
  close(): Promise<void>;
}

/** What the two ways to ask one database share. */
interface OpenDatabase {
  readonly kind: DatabaseKind;
  readonly db: Connection;
  readonly run: RunStatement;
  isClosed: boolean;
  /** Whether owners are kept apart. */
  isEnforced: boolean;
}

/** Adds to a call what it waits for before it settles. */
type Settled = <T>(call: () => Promise<T>) => Promise<T>;

export function createDatabase(kind: DatabaseKind): Database {
  const { db } = kind;
  const open: OpenDatabase = { kind, db, run: createStatementCache(db), isClosed: false, isEnforced: false };
  const { synced } = kind;
  // What is committed there is on the disk.
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

/** `ahead` is the database itself when there is no other. */
function databaseOn(open: OpenDatabase, settled: Settled, ahead?: Database): Database {
  const { kind, db, run } = open;
  const ownedDatabases = new LRUCache<string, Database>({ max: OWNERS_KEPT });
  const attempt: Settled = (call) => {
    if (open.isClosed) return Promise.reject(unavailable('The service is stopping; its database is closed.'));
    return settled(() => withRetries(kind.retry, call));
  };
  const askedOn = (connection: Connection): Pick<Database, 'read' | 'write' | 'writeOnce'> => ({
    read: (query) => attempt(() => query(connection)),
    write: (change) => attempt(() => kind.transact(connection, change)),
    // Commits are reported to the parts that sync and checkpoint, which SQLite does per transaction.
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
