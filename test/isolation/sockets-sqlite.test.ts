// The sockets as another user, on SQLite.
import { describe } from 'vitest';
import { socketsContract } from './sockets.contract.ts';

describe('SQLite', () => socketsContract(async () => ({ url: 'sqlite::memory:' })));
