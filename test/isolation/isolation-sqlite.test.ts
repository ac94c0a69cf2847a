// Every route as another user, on SQLite.
import { describe } from 'vitest';
import { isolationContract } from './isolation.contract.ts';

describe('SQLite', () => {
  isolationContract(async () => 'sqlite::memory:', { thorough: true });
});
