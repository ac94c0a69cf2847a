// Messages that are changed later, on SQLite.
import { onSqlite } from '../support/on-databases.ts';
import { revisedMessagesContract } from './revised-messages.contract.ts';

onSqlite(revisedMessagesContract);
