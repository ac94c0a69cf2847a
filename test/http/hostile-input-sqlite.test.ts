// Hostile requests on SQLite.
import { describe } from 'vitest';
import { hostileInput } from './hostile-input.contract.ts';

describe('SQLite', () => {
  hostileInput(async () => 'sqlite::memory:', 6_000);
});
