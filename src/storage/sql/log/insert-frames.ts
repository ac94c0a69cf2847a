// Inserts pieces of the streams of runs into `run_frames`.
import { createBulkInsert, type SqlValue } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { ownerColumns } from '../database/row-owners.ts';

interface RunFrames {
  readonly runId: string;
  /** The owner of the run. */
  readonly userId: string | null;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly attempt: number;
  readonly events: SqlValue;
}

export type InsertFrames = (trx: WriteTransaction, rows: readonly RunFrames[]) => Promise<void>;

export function createInsertFrames(database: Database): InsertFrames {
  const insert = createBulkInsert(database.queries, {
    into: 'run_frames',
    columns: ['run_id', 'first_seq', 'last_seq', 'attempt', 'events', ...ownerColumns(database)],
  });
  return async (trx, rows) => {
    await insert(
      trx,
      rows.map(({ runId, firstSeq, lastSeq, attempt, events, userId }) => ({
        run_id: runId,
        first_seq: firstSeq,
        last_seq: lastSeq,
        attempt,
        events,
        user_id: userId,
      })),
    );
  };
}
