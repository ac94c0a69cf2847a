// The sockets as another user, on PostgreSQL, whose tables keep owners apart.
import { afterAll, describe } from 'vitest';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { socketsContract } from './sockets.contract.ts';

describe('PostgreSQL', () => {
  let postgres: TestPostgres;
  afterAll(() => postgres.close());

  socketsContract(async () => {
    postgres = await openTestPostgres();
    return { url: postgres.url };
  });
});
