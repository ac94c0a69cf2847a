// The stored streams of runs, read in bounded pieces, and replaced when their runs ended long ago.

import { type SqlBool, sql } from 'kysely';
import type { FrameRepository, FrameRetention, FrameRow, ReadFrameRow, UnprunedRun } from '../../frames.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database } from '../database/database.ts';
import { readableBy } from '../database/owner-filter.ts';
import { unpackText } from '../database/packed-text.ts';
import { allOf } from '../database/results.ts';
import type { RunFramesTable } from '../database/run-tables.ts';
import { createInsertFrames, FRAME_PLACE } from '../log/insert-frames.ts';
import { toEpochs } from './run-rows.ts';

/** A reader at the tail finds one row or none, so the first piece is small. */
const FIRST_ROWS = 8;
const MOST_ROWS = 512;

export function createFrameRepository(database: Database, owner: Owner): FrameRepository {
  return {
    read: (runId, afterSeq, maxBytes) =>
      database.read(async (db) => {
        const rows: ReadFrameRow[] = [];
        let bytes = 0;
        for await (const row of walk(framesOf(db, owner, runId), afterSeq, maxBytes)) {
          rows.push(row);
          bytes += row.events.length;
          if (bytes >= maxBytes) break;
        }
        return rows;
      }),

    readBack: (runId, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      database.read((db) => {
        const rows = framesOf(db, owner, runId)
          .select(['first_seq', 'run_frames.last_seq', 'run_frames.attempt', 'events'])
          .where('first_seq', '<', before)
          .orderBy('first_seq', 'desc');
        return allOf(rows.limit(limit), toFrameRow);
      }),
  };
}

/** Yields the rows in order. The size of each piece is estimated from the rows before it. */
async function* walk(
  frames: ReturnType<typeof framesOf>,
  afterSeq: number,
  maxBytes: number,
): AsyncGenerator<ReadFrameRow, void, undefined> {
  let after = afterSeq;
  let limit = FIRST_ROWS;
  while (true) {
    const piece = await readRows(frames, after, limit);
    yield* piece;
    if (piece.length < limit) return;
    after = piece.at(-1)?.lastSeq ?? after;
    const perRow = piece.reduce((sum, row) => sum + row.events.length, 0) / piece.length;
    limit = Math.min(MOST_ROWS, Math.max(FIRST_ROWS, Math.ceil(maxBytes / Math.max(1, perRow))));
  }
}

function framesOf(db: Connection, owner: Owner, runId: string) {
  return db
    .selectFrom('run_frames')
    .innerJoin('runs', 'runs.run_id', 'run_frames.run_id')
    .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
    .where('run_frames.run_id', '=', runId)
    .where(readableBy(owner, 'threads.user_id'))
    .where(readableBy(owner, 'runs.user_id'));
}

/**
 * Starts at the row that contains `after`, found through the key, because a reader at the tail must not walk
 * the whole run.
 */
function readRows(
  frames: ReturnType<typeof framesOf>,
  after: number,
  limit: number,
): Promise<readonly ReadFrameRow[]> {
  const rows = frames
    .select(['first_seq', 'run_frames.last_seq', 'run_frames.attempt', 'events', 'runs.epochs'])
    .where(
      sql<SqlBool>`first_seq >= coalesce((
        select max(earlier.first_seq) from run_frames as earlier
        where earlier.run_id = run_frames.run_id and earlier.first_seq <= ${after}
      ), 0)`,
    )
    .where('run_frames.last_seq', '>', after)
    .orderBy('first_seq');
  return allOf(rows.limit(limit), (row) => ({ ...toFrameRow(row), epochs: toEpochs(row.epochs) }));
}

function toFrameRow(row: Omit<RunFramesTable, 'run_id' | 'user_id'>): FrameRow {
  return { ...FRAME_PLACE.fieldsOf(row), events: unpackText(row.events) };
}

/** Replaces the streams of runs that ended long ago, in SQL. */
export function createFrameRetention(database: Database): FrameRetention {
  const insertFrames = createInsertFrames(database);
  return {
    due: (endedBefore, limit) => database.read((db) => unprunedRuns(db, endedBefore, limit)),

    replace: async (runId, row) => {
      await database.write(async (trx) => {
        const query = trx.selectFrom('runs').select(['finished_at', 'user_id']).where('run_id', '=', runId);
        const run = await database.locked(query).executeTakeFirst();
        if (run === undefined || run.finished_at === null) return;
        await trx.deleteFrom('run_frames').where('run_id', '=', runId).execute();
        const events = database.packed(row.events);
        const place = FRAME_PLACE.columnsOf(row);
        await insertFrames(trx, [{ ...place, run_id: runId, user_id: run.user_id, events }]);
        await trx.updateTable('runs').set({ frames_pruned: 1 }).where('run_id', '=', runId).execute();
      });
      await database.reclaimSpace();
    },
  };
}

async function unprunedRuns(
  db: Connection,
  endedBefore: number,
  limit: number,
): Promise<readonly UnprunedRun[]> {
  const ended = await db
    .selectFrom('runs')
    .select('run_id')
    // Literals, so that the partial index is used.
    .where(sql<SqlBool>`finished_at is not null and frames_pruned = 0`)
    .where('finished_at', '<', endedBefore)
    .where(sql<SqlBool>`exists (select 1 from run_frames where run_frames.run_id = runs.run_id)`)
    .orderBy('finished_at')
    .orderBy('run_id')
    .limit(limit)
    .execute();
  const runs: UnprunedRun[] = [];
  for (const { run_id } of ended) {
    const rows = db.selectFrom('run_frames').selectAll().where('run_id', '=', run_id).orderBy('first_seq');
    runs.push({ runId: run_id, rows: await allOf(rows, toFrameRow) });
  }
  return runs;
}
