// A Kysely driver for Node's own SQLite: one connection, taken in turns, with its statements kept prepared.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import { longCall } from '../../../../breath.ts';
import type { CommitSync } from './commit-sync.ts';
import type { Turns } from './turns.ts';
import type { WalCheckpoints } from './wal-checkpoints.ts';

const STATEMENTS_KEPT = 300;

/** Some pragmas work row by row and yet name no columns. */
const PRAGMA = /^\s*pragma\b/i;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

interface NodeSqliteParts {
  readonly database: DatabaseSync;
  readonly turns: Turns;
  /** Both absent for a database in memory. */
  readonly walCheckpoints: WalCheckpoints | undefined;
  readonly commitSync: CommitSync | undefined;
}

/**
 * Statements run synchronously, and after one that took long others get their turn. A transaction holds the connection
 * from `begin` to its end, so no statement of another caller ever becomes part of it. Writing transactions begin
 * `immediate`: they wait for the write lock at the start and cannot lose it in the middle.
 */
export function createNodeSqliteDriver(parts: NodeSqliteParts): Driver {
  const { database, turns, walCheckpoints, commitSync } = parts;
  const connection = createConnection(database);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // The last connection to leave the file copies what is left and removes the log.
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
      // A full disk makes SQLite roll back by itself; a second rollback would hide the first error.
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
    // Kysely hands over what the repositories bound: text, numbers, bytes and null.
    const parameters = query.parameters as readonly SQLInputValue[];
    if (returnsRows) {
      const rows = statement.all(...parameters) as R[];
      return { rows, numAffectedRows: BigInt(rows.length) };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  };

  return {
    executeQuery: <R>(query: CompiledQuery) => longCall(() => execute<R>(query)),
    // Rows that are read one by one would hold the connection until their reader is done: who wants few at a time asks in pages.
    streamQuery: () => {
      throw new Error('SQLite does not stream rows here: read them in pages.');
    },
  };
}

/** Prepared statements by their text; evicts the least recently used one. */
function createStatementCache(database: DatabaseSync): (sql: string) => PreparedStatement {
  const kept = new Map<string, PreparedStatement>();
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) {
      kept.delete(sql);
      kept.set(sql, known);
      return known;
    }
    const statement = database.prepare(sql);
    const made = { statement, returnsRows: statement.columns().length > 0 || PRAGMA.test(sql) };
    const oldest = kept.size >= STATEMENTS_KEPT ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(sql, made);
    return made;
  };
}
