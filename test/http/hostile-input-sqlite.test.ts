// Hostile requests on SQLite.
import { amount } from '../support/amount.ts';
import { onSqlite } from '../support/on-databases.ts';
import { hostileInput } from './hostile-input.contract.ts';

onSqlite((openUrl) => hostileInput(openUrl, amount(1_500, 6_000)));
