// The interface of a projection, and what most projections report.
import type { Selectable } from 'kysely';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { ThreadsTable } from '../database/tables.ts';
import type { HeadMoves } from '../messages/head-moves.ts';
import type { MessageRevisions } from '../messages/message-revisions.ts';

/** A thread in the transaction that locked it. */
export interface CheckedThread {
  readonly database: Database;
  readonly trx: WriteTransaction;
  readonly messageRevisions: MessageRevisions;
  readonly headMoves: HeadMoves;
  /** The current row, including earlier repairs. */
  readonly row: Selectable<ThreadsTable>;
  readonly isActive: boolean;
}

export interface Finding {
  readonly runId?: string;
  readonly what: string;
  readonly stored: unknown;
  readonly folded: unknown;
  /** Writes the folded value. Called immediately, or not at all. */
  mend(): Promise<unknown>;
}

type FoldedColumn = 'status' | 'display_name' | 'last_seq' | 'head_checkpoint_id';

/** Returns the finding that a column of the thread's row must have another value. */
export function wrongColumn<Column extends FoldedColumn>(
  { trx, row }: CheckedThread,
  what: Column,
  folded: CheckedThread['row'][Column],
): Finding {
  const mended = trx.updateTable('threads').set({ [what]: folded });
  const mend = () => mended.where('thread_id', '=', row.thread_id).execute();
  return { what, stored: row[what], folded, mend };
}

/**
 * A value that is stored beside the record of a thread. `check` folds the record in pages, compares, and
 * yields each difference with its repair. What the record does not show is no difference.
 */
export interface ThreadProjection {
  readonly name: string;
  check(thread: CheckedThread): AsyncIterable<Finding>;
}
