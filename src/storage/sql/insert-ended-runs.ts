// Inserts runs that ended somewhere else.
import type { EndedRun } from '../thread-imports.ts';
import { createBulkInsert, type SqlValue } from './bulk-statement.ts';
import type { Database, WriteTransaction } from './database.ts';
import { COUNT_COLUMNS, countsOf } from './run-counts.ts';

interface EndedRuns {
  readonly threadId: string;
  readonly userId: string;
  readonly runs: readonly EndedRun[];
}

export type InsertEndedRuns = (trx: WriteTransaction, rows: EndedRuns) => Promise<void>;

export function createInsertEndedRuns(database: Database): InsertEndedRuns {
  const insert = createBulkInsert(database.queries, {
    into: 'runs',
    columns: [
      'run_id',
      'thread_id',
      'user_id',
      'assistant_id',
      'status',
      'metadata',
      'kwargs',
      'multitask_strategy',
      'follow_up_to_run_id',
      'attempt',
      'base_checkpoint_id',
      'stop_reason',
      'error',
      'created_at',
      'updated_at',
      'started_at',
      'finished_at',
      ...COUNT_COLUMNS,
      'token_usage_by_model',
      'frames_pruned',
    ],
  });
  return async (trx, { threadId, userId, runs }) => {
    await insert(
      trx,
      runs.map((run) => toValues(database, run, { threadId, userId })),
    );
  };
}

/** There is no stream to prune. */
const NO_FRAMES = 1;

function toValues(
  database: Database,
  run: EndedRun,
  { threadId, userId }: Pick<EndedRuns, 'threadId' | 'userId'>,
): SqlValue[] {
  const { totals } = run;
  const counts = countsOf(totals);
  return [
    run.runId,
    threadId,
    userId,
    run.assistantId,
    run.status,
    JSON.stringify(run.metadata),
    database.packed(JSON.stringify(run.kwargs)),
    run.multitaskStrategy,
    run.followUpToRunId,
    run.attempt,
    run.baseCheckpointId,
    run.stopReason,
    run.error,
    run.createdAt,
    run.updatedAt,
    run.startedAt,
    run.finishedAt,
    ...COUNT_COLUMNS.map((column) => counts[column]),
    JSON.stringify(totals.tokenUsageByModel),
    NO_FRAMES,
  ];
}
