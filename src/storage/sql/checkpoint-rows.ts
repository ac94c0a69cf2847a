// A checkpoint's row as the record of the port, and back.
import type { Selectable } from 'kysely';
import type { CheckpointRecord, NewCheckpoint } from '../checkpoints.ts';
import { type BulkStatement, createBulkInsert, type SqlValue } from './bulk-statement.ts';
import type { Database } from './database.ts';
import { parseJsonArray, parseJsonObject, parseStrings } from './json-column.ts';
import type { CheckpointsTable } from './tables.ts';

export function createInsertCheckpoints(database: Database): BulkStatement<never> {
  return createBulkInsert(database.queries, {
    into: 'checkpoints',
    columns: [
      'checkpoint_id',
      'thread_id',
      'parent_id',
      'run_id',
      'step',
      'source',
      'node',
      'fold_bytes',
      'created_at',
      'next',
      'tasks',
      'metadata',
      'delta',
      'snapshot',
    ],
  });
}

/** The values for `createInsertCheckpoints`, in its order. */
export function toCheckpointValues(threadId: string, checkpoint: NewCheckpoint): SqlValue[] {
  return [
    checkpoint.checkpointId,
    threadId,
    checkpoint.parentId,
    checkpoint.runId,
    checkpoint.step,
    checkpoint.source,
    checkpoint.node,
    checkpoint.foldBytes,
    checkpoint.createdAt,
    JSON.stringify(checkpoint.next),
    JSON.stringify(checkpoint.tasks),
    JSON.stringify(checkpoint.metadata),
    checkpoint.delta,
    checkpoint.snapshot,
  ];
}

/** As the given thread sees it: a copy sees checkpoints of other threads as its own. */
export function toCheckpoint(row: Selectable<CheckpointsTable>, threadId: string): CheckpointRecord {
  return {
    checkpointId: row.checkpoint_id,
    threadId,
    parentId: row.parent_id,
    runId: row.run_id,
    step: row.step,
    source: row.source,
    node: row.node,
    delta: row.delta,
    snapshot: row.snapshot,
    foldBytes: row.fold_bytes,
    next: parseStrings(row.next),
    tasks: parseJsonArray(row.tasks),
    metadata: parseJsonObject(row.metadata),
    createdAt: row.created_at,
  };
}
