// The storage contract on SQLite in memory.
import { describe } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { allContracts } from './contracts.ts';

describe('SQLite in memory', () => {
  allContracts(() => openStorage({ url: 'sqlite::memory:', log: QUIET_LOG }));
});
