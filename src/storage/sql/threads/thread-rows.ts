// A thread's row as the record of the port, and back.
import type { Selectable } from 'kysely';
import type { ThreadRecord } from '../../threads.ts';
import { parseJsonObject } from '../database/json-column.ts';
import { plainColumns } from '../database/plain-columns.ts';
import type { ThreadsTable } from '../database/tables.ts';

/** All that a record has but its metadata. */
const PLAIN = plainColumns([
  'thread_id',
  'user_id',
  'display_name',
  'status',
  'assistant_id',
  'head_checkpoint_id',
  'created_at',
  'updated_at',
  'state_updated_at',
]);

export function toThread(row: Selectable<ThreadsTable>): ThreadRecord {
  return { ...PLAIN.fieldsOf(row), metadata: parseJsonObject(row.metadata) };
}

/** The row of a thread without events. */
export function toThreadRow(thread: ThreadRecord) {
  return { ...PLAIN.columnsOf(thread), metadata: JSON.stringify(thread.metadata), last_seq: 0, temporary: 0 };
}
