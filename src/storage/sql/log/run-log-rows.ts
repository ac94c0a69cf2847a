// The rows of the run log: written by flushes, then sorted into the runs' own rows.
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { LogFlush, RunPieces } from '../../run-commits.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { pagesOf } from '../database/page-of.ts';
import type { Tables } from '../database/tables.ts';
import { createInsertFrames } from './insert-frames.ts';

export type RunLogRows = ReturnType<typeof createRunLogRows>;

export function createRunLogRows(database: Database) {
  const insertFrames = createInsertFrames(database);
  return {
    /** Appends one row with the pieces of all runs. Removes the rows up to `log.sortedTo` if `areSorted`. */
    append: async (trx: WriteTransaction, log: LogFlush, areSorted: boolean): Promise<void> => {
      const { workerId: worker_id, flush, pieces, sortedTo } = log;
      if (pieces.length > 0)
        await database.run(trx, APPEND, { worker_id, flush, pieces: piecesText(pieces) });
      if (sortedTo !== undefined && areSorted)
        await database.run(trx, REMOVE, { worker_id, flush: sortedTo });
    },

    /**
     * Moves the logged events of these workers into the runs' own rows, each piece once. Pieces of runs that
     * are gone are dropped. Only for workers that can no longer write.
     */
    sort: async (trx: WriteTransaction, workerIds: readonly string[]): Promise<void> => {
      if (workerIds.length === 0) return;
      const rows = trx.deleteFrom('run_log').where('worker_id', 'in', workerIds).returningAll();
      const flushes = (await rows.execute()).sort((a, b) => a.flush - b.flush);
      const pieces = flushes.flatMap((row) => storedPieces.parse(JSON.parse(row.pieces)));
      await insertFrames(trx, await unsortedRows(trx, pieces));
    },
  };
}

type LogRow = Selectable<Tables['run_log']>;

const APPEND = (queries: Connection, row: LogRow) => queries.insertInto('run_log').values(row);

const REMOVE = (queries: Connection, { worker_id, flush }: Pick<LogRow, 'worker_id' | 'flush'>) =>
  queries.deleteFrom('run_log').where('worker_id', '=', worker_id).where('flush', '<=', flush);

/** Returns the text of a row of the log. The events are JSON already. */
export function piecesText(pieces: readonly RunPieces[]): string {
  const texts = pieces.map(
    ({ runId, attempt, firstSeq, events }) => `[${JSON.stringify(runId)},${attempt},${firstSeq},${events}]`,
  );
  return `[${texts.join(',')}]`;
}

/** What `piecesText` wrote: the id of the run, the attempt, the `seq` of the first event, the events. */
const storedPieces = z.array(z.tuple([z.string(), z.number(), z.number(), z.array(z.unknown())]));

/** Returns one row per attempt of a run, with all pieces that the run's own rows lack. */
async function unsortedRows(trx: WriteTransaction, pieces: z.output<typeof storedPieces>) {
  const runs = await runsOf(trx, [...new Set(pieces.map(([runId]) => runId))]);
  const rows = new Map<string, { run_id: string; attempt: number; first_seq: number; events: unknown[] }>();
  for (const [run_id, attempt, first_seq, events] of pieces) {
    const run = runs.get(run_id);
    // The commit of a later step has already written it to the run's own rows.
    if (run === undefined || first_seq <= run.lastSeq) continue;
    const key = `${attempt} ${run_id}`;
    const row = rows.get(key) ?? { run_id, attempt, first_seq, events: [] };
    rows.set(key, row);
    row.events.push(...events);
    run.lastSeq = first_seq + events.length - 1;
  }
  return [...rows.values()].map(({ events, ...row }) => ({
    ...row,
    user_id: runs.get(row.run_id)?.userId ?? null,
    last_seq: row.first_seq + events.length - 1,
    events: JSON.stringify(events),
  }));
}

/** Number of runs per statement. */
const RUNS_AT_ONCE = 500;

async function runsOf(trx: WriteTransaction, runIds: readonly string[]) {
  const found = new Map<string, { readonly userId: string | null; lastSeq: number }>();
  for (const ids of pagesOf(runIds, RUNS_AT_ONCE)) {
    const { rows } = await sql<{ run_id: string; user_id: string | null; last_seq: number | null }>`
      select run_id, user_id, (
        select max(last_seq) from run_frames where run_frames.run_id = runs.run_id
      ) as last_seq
      from runs where run_id in (${sql.join(ids)})`.execute(trx);
    for (const row of rows)
      found.set(row.run_id, { userId: row.user_id, lastSeq: Number(row.last_seq ?? 0) });
  }
  return found;
}
