// Messages that are changed after they were said, on SQLite.
import { describe } from 'vitest';
import { revisedMessagesContract } from './revised-messages.contract.ts';

describe('SQLite', () => {
  revisedMessagesContract(async () => ({ url: 'sqlite::memory:' }));
});
