// Another program that uses the SQLite file of a service in this process.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

export interface DatabaseHolder {
  /** Takes the write lock at the first moment when the service, which keeps working, does not hold it. */
  hold(): Promise<void>;
  /** Reads in a transaction that stays open. */
  read(query: string): void;
  /** Ends the transaction that `hold` or `read` began. */
  letGo(): void;
  close(): void;
}

export function openHolder(path: string): DatabaseHolder {
  const database = new DatabaseSync(path);
  const holds = (): boolean => {
    try {
      database.exec('begin immediate');
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes('locked')) return false;
      throw error;
    }
  };
  return {
    async hold() {
      while (!holds()) await turn();
    },
    read(query) {
      database.exec('begin');
      database.prepare(query).get();
    },
    letGo: () => database.exec('rollback'),
    close: () => database.close(),
  };
}
