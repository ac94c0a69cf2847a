// A Kysely driver for Node's built-in SQLite: one connection, used in turns, with cached prepared statements.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import { LRUCache } from 'lru-cache';
import { longCall } from '../../../../breath.ts';
import { bindable } from '../packed-text.ts';
import type { CommitSync } from './commit-sync.ts';
import type { Turns } from './turns.ts';
import type { WalCheckpoints } from './wal-checkpoints.ts';

const STATEMENTS_KEPT = 300;

/** Some pragmas work row by row but name no columns. */
const PRAGMA = /^\s*pragma\b/i;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

interface NodeSqliteParts {
  readonly database: DatabaseSync;
  readonly turns: Turns;
  /** This and `commitSync` are `undefined` for an in-memory database. */
  readonly walCheckpoints: WalCheckpoints | undefined;
  readonly commitSync: CommitSync | undefined;
}

/**
 * Creates the driver. Statements run synchronously; after a long one, other work gets its turn. A transaction
 * holds the connection from `begin` to its end, so no statement of another caller becomes part of it. Writing
 * transactions begin `immediate`: they wait for the write lock at the start and cannot lose it midway.
 */
export function createNodeSqliteDriver(parts: NodeSqliteParts): Driver {
  const { database, turns, walCheckpoints, commitSync } = parts;
  const connection = createConnection(database);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // The last connection to close the file copies the remaining pages and removes the log.
    await walCheckpoints?.end();
    await turns.take();
    await commitSync?.end();
    if (database.isOpen) database.close();
    turns.give();
  };
  return {
    init: async () => {},
    acquireConnection: async () => {
      await turns.take();
      return connection;
    },
    releaseConnection: async () => turns.give(),
    beginTransaction: async (_connection: DatabaseConnection, settings: TransactionSettings) => {
      database.exec(settings.accessMode === 'read only' ? 'begin' : 'begin immediate');
    },
    commitTransaction: async () => {
      await longCall(() => database.exec('commit'));
      commitSync?.afterCommit();
      walCheckpoints?.afterCommit();
    },
    rollbackTransaction: async () => {
      // On a full disk SQLite rolls back by itself. A second rollback would hide the first error.
      if (database.isTransaction) database.exec('rollback');
    },
    destroy: () => {
      closing ??= close();
      return closing;
    },
  };
}

function createConnection(database: DatabaseSync): DatabaseConnection {
  const prepare = createStatementCache(database);

  const execute = <R>(query: CompiledQuery): QueryResult<R> => {
    const { statement, returnsRows } = prepare(query.sql);
    // Kysely passes on what the repositories bound: text, numbers, bytes and null.
    const parameters = query.parameters.map(bindable) as readonly SQLInputValue[];
    if (returnsRows) {
      const rows = statement.all(...parameters) as R[];
      return { rows, numAffectedRows: BigInt(rows.length) };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  };

  return {
    executeQuery: <R>(query: CompiledQuery) => longCall(() => execute<R>(query)),
    // Rows read one by one would hold the connection until their reader is done. Callers read pages instead.
    streamQuery: () => {
      throw new Error('SQLite does not stream rows here: read them in pages.');
    },
  };
}

/** Returns a function that prepares statements, cached by their text. */
function createStatementCache(database: DatabaseSync): (sql: string) => PreparedStatement {
  const cached = new LRUCache<string, PreparedStatement>({ max: STATEMENTS_KEPT });
  return (sql) => {
    const known = cached.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const made = { statement, returnsRows: statement.columns().length > 0 || PRAGMA.test(sql) };
    cached.set(sql, made);
    return made;
  };
}
