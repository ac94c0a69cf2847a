// Inserts runs that ended somewhere else.
import type { EndedRun } from '../../thread-imports.ts';
import { createBulkInsert } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { RUN_COLUMNS, toRunRow } from '../runs/run-rows.ts';

interface EndedRuns {
  readonly threadId: string;
  readonly userId: string;
  readonly runs: readonly EndedRun[];
}

export type InsertEndedRuns = (trx: WriteTransaction, rows: EndedRuns) => Promise<void>;

/** What only runs have that are executed here, or are yet to be. */
const NOT_EXECUTED = {
  epochs: [],
  leaseOwner: null,
  formerHead: undefined,
  startAfter: null,
  cancel: null,
  numbersFrom: null,
} as const;

/** There is no stream to prune. */
const NO_FRAMES = 1;

export function createInsertEndedRuns(database: Database): InsertEndedRuns {
  const insert = createBulkInsert(database.queries, {
    into: 'runs',
    columns: [...RUN_COLUMNS, 'frames_pruned'],
  });
  return async (trx, { threadId, userId, runs }) => {
    const rows = runs.map((run) => {
      const kwargs = database.packed(JSON.stringify(run.kwargs));
      return toRunRow({ ...run, ...NOT_EXECUTED, threadId, userId }, kwargs);
    });
    await insert(
      trx,
      rows.map((row) => ({ ...row, frames_pruned: NO_FRAMES })),
    );
  };
}
