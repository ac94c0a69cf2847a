// Messages that are changed after they were said, on SQLite.
import { onSqlite } from '../support/on-databases.ts';
import { revisedMessagesContract } from './revised-messages.contract.ts';

onSqlite(revisedMessagesContract);
