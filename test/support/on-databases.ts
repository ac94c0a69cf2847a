// One set-up for contracts that hold on either database: where each of them is described.
import { afterAll, describe } from 'vitest';
import { openTestPostgres, type TestPostgres } from './postgres.ts';

/** Tests of a service on a database whose address they are given when they begin. */
export type DatabaseTests = (openUrl: () => Promise<string>) => void;

/** The tests on SQLite in memory. */
export function onSqlite(tests: DatabaseTests): void {
  describe('SQLite', () => tests(async () => 'sqlite::memory:'));
}

/** The tests on an empty PostgreSQL database of their own. */
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
