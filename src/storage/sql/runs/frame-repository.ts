// The stored stream of a run, read in bounded pieces.
import type { FrameRepository, FrameRow, ReadFrameRow } from '../../frames.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database } from '../database/database.ts';
import { readableBy } from '../database/owner-filter.ts';
import { unpackText } from '../database/packed-text.ts';
import type { RunFramesTable } from '../database/run-tables.ts';
import { toEpochs } from './run-epochs.ts';

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
      database.read(async (db) => {
        const rows = await framesOf(db, owner, runId)
          .select(['first_seq', 'run_frames.last_seq', 'run_frames.attempt', 'events'])
          .where('first_seq', '<', before)
          .orderBy('first_seq', 'desc')
          .limit(limit)
          .execute();
        return rows.map(toFrameRow);
      }),
  };
}

/** The rows in order, fetched in pieces that the rows seen so far make likely to be enough. */
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

/** Starts at the row that `after` lies in, found through the key: a reader at the tail must not walk the whole run. */
async function readRows(
  frames: ReturnType<typeof framesOf>,
  after: number,
  limit: number,
): Promise<readonly ReadFrameRow[]> {
  const rows = await frames
    .select(['first_seq', 'run_frames.last_seq', 'run_frames.attempt', 'events', 'runs.epochs'])
    .where((eb) =>
      eb(
        'first_seq',
        '>=',
        eb.fn.coalesce(
          eb
            .selectFrom('run_frames as earlier')
            .select((inner) => inner.fn.max('earlier.first_seq').as('first_seq'))
            .whereRef('earlier.run_id', '=', 'run_frames.run_id')
            .where('earlier.first_seq', '<=', after),
          eb.val(0),
        ),
      ),
    )
    .where('run_frames.last_seq', '>', after)
    .orderBy('first_seq')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...toFrameRow(row), epochs: toEpochs(row.epochs) }));
}

export function toFrameRow(row: Omit<RunFramesTable, 'run_id' | 'user_id'>): FrameRow {
  const { first_seq: firstSeq, last_seq: lastSeq, attempt } = row;
  return { firstSeq, lastSeq, attempt, events: unpackText(row.events) };
}
