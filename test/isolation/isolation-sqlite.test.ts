// Every route as another user, on SQLite.
import { onSqlite } from '../support/on-databases.ts';
import { isolationContract } from './isolation.contract.ts';

onSqlite((openUrl) => isolationContract(openUrl, { thorough: true }));
