// Hostile requests on PostgreSQL.
import { amount } from '../support/amount.ts';
import { onPostgres } from '../support/on-databases.ts';
import { hostileInput } from './hostile-input.contract.ts';

onPostgres((openUrl) => hostileInput(openUrl, amount(1_500, 6_000)));
