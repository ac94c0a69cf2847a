// A thread's row as the record of the port.
import type { Selectable } from 'kysely';
import type { ThreadRecord } from '../../threads.ts';
import { parseJsonObject } from '../database/json-column.ts';
import type { ThreadsTable } from '../database/tables.ts';

export function toThread(row: Selectable<ThreadsTable>): ThreadRecord {
  return {
    threadId: row.thread_id,
    userId: row.user_id,
    displayName: row.display_name,
    status: row.status,
    metadata: parseJsonObject(row.metadata),
    assistantId: row.assistant_id,
    headCheckpointId: row.head_checkpoint_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    stateUpdatedAt: row.state_updated_at,
  };
}
