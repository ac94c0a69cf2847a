// Converts a checkpoint's row to the record of the port, and back.
import type { Selectable } from 'kysely';
import type { CheckpointRecord, NewCheckpoint, WholeCheckpoint } from '../../checkpoints.ts';
import { createBulkInsert } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { parseJsonArray, parseJsonObject, parseStrings } from '../database/json-column.ts';
import { unpackText } from '../database/packed-text.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { ownerColumns } from '../database/row-owners.ts';
import type { CheckpointsTable } from '../database/run-tables.ts';

/** Columns that hold the fields of a record unchanged. */
const PLAIN = plainColumns([
  'checkpoint_id',
  'thread_id',
  'parent_id',
  'run_id',
  'namespace',
  'step',
  'source',
  'node',
  'fold_bytes',
  'created_at',
]);

/** The columns of a checkpoint without the texts that can be as large as its thread. */
export const CHECKPOINT_FACTS = [...PLAIN.names, 'next', 'tasks', 'metadata'] as const;

interface ThreadCheckpoint {
  readonly threadId: string;
  /** The owner of the thread. */
  readonly userId: string | null;
  readonly checkpoint: NewCheckpoint;
}

export function createInsertCheckpoints(database: Database) {
  const insert = createBulkInsert(database.queries, {
    into: 'checkpoints',
    columns: [...CHECKPOINT_FACTS, 'delta', 'snapshot', ...ownerColumns(database)],
  });
  return async (trx: WriteTransaction, rows: readonly ThreadCheckpoint[]): Promise<void> => {
    const inserted = rows.map((row) => ({ ...toRow(database, row), user_id: row.userId }));
    await insert(trx, inserted);
  };
}

function toRow(
  database: Database,
  { threadId, userId, checkpoint }: ThreadCheckpoint,
): Selectable<CheckpointsTable> {
  return {
    ...PLAIN.columnsOf({ ...checkpoint, threadId }),
    next: JSON.stringify(checkpoint.next),
    tasks: JSON.stringify(checkpoint.tasks),
    metadata: JSON.stringify(checkpoint.metadata),
    delta: database.packed(checkpoint.delta),
    snapshot: checkpoint.snapshot && database.packed(checkpoint.snapshot),
    user_id: userId,
  };
}

export type CheckpointFactsRow = Pick<Selectable<CheckpointsTable>, (typeof CHECKPOINT_FACTS)[number]>;

/**
 * Returns the checkpoint as the given thread sees it. A copy sees checkpoints of other threads as its own.
 */
export function toCheckpoint(row: CheckpointFactsRow, threadId: string): CheckpointRecord {
  return {
    ...PLAIN.fieldsOf(row),
    threadId,
    next: parseStrings(row.next),
    tasks: parseJsonArray(row.tasks),
    metadata: parseJsonObject(row.metadata),
  };
}

export function toWholeCheckpoint(row: Selectable<CheckpointsTable>, threadId: string): WholeCheckpoint {
  return {
    ...toCheckpoint(row, threadId),
    delta: unpackText(row.delta),
    snapshot: row.snapshot && unpackText(row.snapshot),
  };
}
