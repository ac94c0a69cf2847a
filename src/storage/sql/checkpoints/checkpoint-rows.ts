// A checkpoint's row as the record of the port, and back.
import type { Selectable } from 'kysely';
import type { CheckpointRecord, NewCheckpoint, WholeCheckpoint } from '../../checkpoints.ts';
import { createBulkInsert } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { parseJsonArray, parseJsonObject, parseStrings } from '../database/json-column.ts';
import { unpackText } from '../database/packed-text.ts';
import { ownerColumns } from '../database/row-owners.ts';
import type { CheckpointsTable } from '../database/run-tables.ts';

/** The columns of a checkpoint that are not as large as its thread may be. */
export const CHECKPOINT_FACTS = [
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
  'next',
  'tasks',
  'metadata',
] as const satisfies readonly (keyof CheckpointsTable)[];

interface ThreadCheckpoint {
  readonly threadId: string;
  /** Whose thread it is. */
  readonly userId: string | null;
  readonly checkpoint: NewCheckpoint;
}

export type InsertCheckpoints = (trx: WriteTransaction, rows: readonly ThreadCheckpoint[]) => Promise<void>;

export function createInsertCheckpoints(database: Database): InsertCheckpoints {
  const insert = createBulkInsert(database.queries, {
    into: 'checkpoints',
    columns: [...CHECKPOINT_FACTS, 'delta', 'snapshot', ...ownerColumns(database)],
  });
  return async (trx, rows) => {
    await insert(
      trx,
      rows.map((row) => ({ ...toRow(database, row), user_id: row.userId })),
    );
  };
}

function toRow(
  database: Database,
  { threadId, userId, checkpoint }: ThreadCheckpoint,
): Selectable<CheckpointsTable> {
  return {
    checkpoint_id: checkpoint.checkpointId,
    thread_id: threadId,
    parent_id: checkpoint.parentId,
    run_id: checkpoint.runId,
    namespace: checkpoint.namespace,
    step: checkpoint.step,
    source: checkpoint.source,
    node: checkpoint.node,
    fold_bytes: checkpoint.foldBytes,
    created_at: checkpoint.createdAt,
    next: JSON.stringify(checkpoint.next),
    tasks: JSON.stringify(checkpoint.tasks),
    metadata: JSON.stringify(checkpoint.metadata),
    delta: database.packed(checkpoint.delta),
    snapshot: checkpoint.snapshot && database.packed(checkpoint.snapshot),
    user_id: userId,
  };
}

export type CheckpointFactsRow = Pick<Selectable<CheckpointsTable>, (typeof CHECKPOINT_FACTS)[number]>;

/** As the given thread sees it: a copy sees checkpoints of other threads as its own. */
export function toCheckpoint(row: CheckpointFactsRow, threadId: string): CheckpointRecord {
  return {
    checkpointId: row.checkpoint_id,
    threadId,
    parentId: row.parent_id,
    runId: row.run_id,
    namespace: row.namespace,
    step: row.step,
    source: row.source,
    node: row.node,
    foldBytes: row.fold_bytes,
    next: parseStrings(row.next),
    tasks: parseJsonArray(row.tasks),
    metadata: parseJsonObject(row.metadata),
    createdAt: row.created_at,
  };
}

export function toWholeCheckpoint(row: Selectable<CheckpointsTable>, threadId: string): WholeCheckpoint {
  return {
    ...toCheckpoint(row, threadId),
    delta: unpackText(row.delta),
    snapshot: row.snapshot && unpackText(row.snapshot),
  };
}
