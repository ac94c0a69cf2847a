// Every route as another user, on PostgreSQL, whose tables keep owners apart.
import { afterAll, describe } from 'vitest';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { isolationContract } from './isolation.contract.ts';

describe('PostgreSQL', () => {
  let postgres: TestPostgres;
  afterAll(() => postgres.close());

  isolationContract(
    async () => {
      postgres = await openTestPostgres();
      return postgres.url;
    },
    { thorough: false },
  );
});
