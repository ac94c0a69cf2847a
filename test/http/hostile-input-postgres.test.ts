// Hostile requests on PostgreSQL.
import { afterAll, describe } from 'vitest';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { hostileInput } from './hostile-input.contract.ts';

describe('PostgreSQL', () => {
  let postgres: TestPostgres;
  afterAll(() => postgres.close());

  hostileInput(async () => {
    postgres = await openTestPostgres();
    return postgres.url;
  }, 6_000);
});
