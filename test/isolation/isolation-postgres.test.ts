// Every route as another user, on PostgreSQL, whose tables keep owners apart.
import { onPostgres } from '../support/on-databases.ts';
import { isolationContract } from './isolation.contract.ts';

onPostgres((openUrl) => isolationContract(openUrl, { thorough: false }));
