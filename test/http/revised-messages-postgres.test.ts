// Messages that are changed later, on PostgreSQL, whose tables keep owners apart.
import { onPostgres } from '../support/on-databases.ts';
import { revisedMessagesContract } from './revised-messages.contract.ts';

onPostgres(revisedMessagesContract);
