// A SQLite storage in memory that counts the work of each of its transactions.
import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../src/storage/sql/database/database.ts';
import { openDatabase } from '../../src/storage/sql/database/open-database.ts';
import { machineClock } from '../../src/storage/sql/database/shared-clock.ts';
import { migrate } from '../../src/storage/sql/migrations/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations/migrations.ts';
import { createSqlStorage } from '../../src/storage/sql/sql-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { QUIET_LOG } from './quiet-log.ts';

export interface CountedStorage {
  readonly storage: Storage;
  /** Returns the transactions since the last call. */
  transactions(): readonly CountedTransaction[];
}

interface CountedTransaction {
  readonly statements: number;
  /** Rows that it read. */
  readonly rows: number;
  /** Rows that it wrote. */
  readonly written: number;
}

export async function openCountedStorage(): Promise<CountedStorage> {
  const database = await openDatabase('sqlite::memory:', QUIET_LOG);
  await migrate(database, MIGRATIONS, Date.now);
  let transactions: { statements: number; rows: number; written: number }[] = [];
  const counter = (): KyselyPlugin => {
    const transaction = { statements: 0, rows: 0, written: 0 };
    transactions.push(transaction);
    return {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        transaction.statements += 1;
        transaction.rows += result.rows.length;
        if (result.rows.length === 0) transaction.written += Number(result.numAffectedRows ?? 0);
        return result;
      },
    };
  };
  const counted: Database = {
    ...database,
    ownedBy: () => counted,
    get ahead() {
      return counted;
    },
    write: (change) => database.write((trx) => change(trx.withPlugin(counter()))),
  };
  return {
    storage: createSqlStorage(counted, machineClock(Date.now)),
    transactions() {
      const taken = transactions;
      transactions = [];
      return taken;
    },
  };
}
