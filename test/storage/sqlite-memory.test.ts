// The storage contract on SQLite in memory.
import { describe } from 'vitest';
import { openMemoryStorage } from '../support/memory-storage.ts';
import { allContracts } from './contracts.ts';

describe('SQLite in memory', () => {
  allContracts(openMemoryStorage);
});
