// The sockets as another user, on PostgreSQL, whose tables keep owners apart.
import { onPostgres } from '../support/on-databases.ts';
import { socketsContract } from './sockets.contract.ts';

onPostgres(socketsContract);
