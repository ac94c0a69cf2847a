// Messages that are changed after they were said, on PostgreSQL, whose tables keep owners apart.
import { afterAll, describe } from 'vitest';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { revisedMessagesContract } from './revised-messages.contract.ts';

describe('PostgreSQL', () => {
  let postgres: TestPostgres;
  afterAll(() => postgres.close());

  revisedMessagesContract(async () => {
    postgres = await openTestPostgres();
    return { url: postgres.url };
  });
});
