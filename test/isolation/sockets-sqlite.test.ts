// The sockets as another user, on SQLite.
import { onSqlite } from '../support/on-databases.ts';
import { socketsContract } from './sockets.contract.ts';

onSqlite(socketsContract);
