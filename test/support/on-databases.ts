// The common set-up for contracts that hold on each database.
import { afterAll, describe } from 'vitest';
import { openTestPostgres, type TestPostgres } from './postgres.ts';

/** Tests of a service on a database whose address they get when they begin. */
export type DatabaseTests = (openUrl: () => Promise<string>) => void;

/** Describes the tests on SQLite in memory. */
export function onSqlite(tests: DatabaseTests): void {
  describe('SQLite', () => tests(async () => 'sqlite::memory:'));
}

/** Describes the tests on an empty PostgreSQL database. */
export function onPostgres(tests: DatabaseTests): void {
  describe('PostgreSQL', () => {
    let postgres: TestPostgres | undefined;
    afterAll(() => postgres?.close());
    tests(async () => {
      postgres = await openTestPostgres();
      return postgres.url;
    });
  });
}
