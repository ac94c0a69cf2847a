// The rows of the run log: written by flushes, then sorted into the runs' own rows.
import { sql } from 'kysely';
import { z } from 'zod';
import type { LogFlush, RunPieces } from '../../run-commits.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { createInsertFrames } from './insert-frames.ts';

export interface RunLogRows {
  /** Appends one row with the pieces of all runs. Removes the rows up to `log.sortedTo` if `areSorted`. */
  append(trx: WriteTransaction, log: LogFlush, areSorted: boolean): Promise<void>;
  /**
   * Moves the logged events of these workers into the runs' own rows, each piece once. Pieces of runs that
   * are gone are dropped. Only for workers that can no longer write.
   */
  sort(trx: WriteTransaction, workerIds: readonly string[]): Promise<void>;
}

export function createRunLogRows(database: Database): RunLogRows {
  const insertFrames = createInsertFrames(database);
  return {
    append: async (trx, { workerId, flush, pieces, sortedTo }, areSorted) => {
      if (pieces.length > 0) await database.run(trx, APPEND, { workerId, flush, pieces: piecesText(pieces) });
      if (sortedTo !== undefined && areSorted) await database.run(trx, REMOVE, { workerId, flush: sortedTo });
    },

    sort: async (trx, workerIds) => {
      if (workerIds.length === 0) return;
      const rows = trx.deleteFrom('run_log').where('worker_id', 'in', workerIds).returningAll();
      const flushes = (await rows.execute()).sort((a, b) => a.flush - b.flush);
      await insertFrames(
        trx,
        await unsortedRows(
          trx,
          flushes.flatMap(({ pieces }) => toPieces(pieces)),
        ),
      );
    },
  };
}

interface LogRow {
  readonly workerId: string;
  readonly flush: number;
  readonly pieces: string;
}

const APPEND = (queries: Connection, { workerId, flush, pieces }: LogRow & Record<string, string | number>) =>
  queries.insertInto('run_log').values({ worker_id: workerId, flush, pieces });

const REMOVE = (queries: Connection, { workerId, flush }: { workerId: string; flush: number }) =>
  queries.deleteFrom('run_log').where('worker_id', '=', workerId).where('flush', '<=', flush);

/** Returns the text of a row of the log. The events are JSON already. */
export function piecesText(pieces: readonly RunPieces[]): string {
  const texts = pieces.map(
    ({ runId, attempt, firstSeq, events }) => `[${JSON.stringify(runId)},${attempt},${firstSeq},${events}]`,
  );
  return `[${texts.join(',')}]`;
}

const storedPieces = z.array(z.tuple([z.string(), z.number(), z.number(), z.array(z.unknown())]));

interface StoredPieces {
  readonly runId: string;
  readonly attempt: number;
  readonly firstSeq: number;
  readonly events: readonly unknown[];
}

function toPieces(text: string): readonly StoredPieces[] {
  return storedPieces
    .parse(JSON.parse(text))
    .map(([runId, attempt, firstSeq, events]) => ({ runId, attempt, firstSeq, events }));
}

/** Returns one row per attempt of a run, with all pieces that the run's own rows lack. */
async function unsortedRows(trx: WriteTransaction, pieces: readonly StoredPieces[]) {
  const found = await runsOf(trx, [...new Set(pieces.map(({ runId }) => runId))]);
  const runs = new Map(found.map((run) => [run.run_id, { ...run, lastSeq: Number(run.last_seq ?? 0) }]));
  const rows = new Map<string, { firstSeq: number; attempt: number; events: unknown[]; runId: string }>();
  for (const { runId, attempt, firstSeq, events } of pieces) {
    const run = runs.get(runId);
    // The commit of a later step has already written it to the run's own rows.
    if (run === undefined || firstSeq <= run.lastSeq) continue;
    const key = `${attempt} ${runId}`;
    const row = rows.get(key) ?? { firstSeq, attempt, events: [], runId };
    rows.set(key, row);
    row.events.push(...events);
    run.lastSeq = firstSeq + events.length - 1;
  }
  return [...rows.values()].map(({ events, ...row }) => ({
    ...row,
    userId: runs.get(row.runId)?.user_id ?? null,
    lastSeq: row.firstSeq + events.length - 1,
    events: JSON.stringify(events),
  }));
}

/** Number of runs per statement. */
const RUNS_AT_ONCE = 500;

async function runsOf(trx: WriteTransaction, runIds: readonly string[]) {
  const found: { run_id: string; user_id: string | null; last_seq: number | null }[] = [];
  for (let start = 0; start < runIds.length; start += RUNS_AT_ONCE) {
    const { rows } = await sql<(typeof found)[number]>`
      select run_id, user_id, (
        select max(last_seq) from run_frames where run_frames.run_id = runs.run_id
      ) as last_seq
      from runs where run_id in (${sql.join(runIds.slice(start, start + RUNS_AT_ONCE))})`.execute(trx);
    found.push(...rows);
  }
  return found;
}
