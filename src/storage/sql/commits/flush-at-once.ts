// A flush of nothing but streamed events, in one statement: on Postgres each round trip of a transaction
// waits for a turn of a busy event loop.
import { type RawBuilder, sql } from 'kysely';
import type { LogFlush, RunChange } from '../../run-commits.ts';
import type { Connection, Database } from '../database/database.ts';
import { piecesText } from '../log/run-log-rows.ts';

/** A change that has nothing to write but frames. */
interface FramesChange extends RunChange {
  readonly frames: NonNullable<RunChange['frames']>;
}

/**
 * Commits the flush with the frames of these changes, or writes nothing: when there is more to write, any run
 * is lost, the worker is fenced, or the flush is not the next one. Resolves to whether it was written. On
 * SQLite it never is.
 */
export type FlushAtOnce = (changes: readonly RunChange[], log: LogFlush) => Promise<boolean>;

export function createFlushAtOnce(database: Database): FlushAtOnce {
  return async (changes, { workerId, flush, after, pieces, sortedTo = null }) => {
    if (database.name === 'sqlite' || !changes.every(hasOnlyFrames)) return false;
    const values = {
      workerId,
      flush,
      after,
      pieces: pieces.length === 0 ? null : piecesText(pieces),
      sortedTo,
      frames: JSON.stringify(changes.map(frameRow)),
      runs: changes.length,
    };
    // Repeated after a lost response, it finds that the flush is written, and writes nothing.
    const counted = await database.writeOnce((db) => database.run(db, FLUSH, values));
    return counted.length > 0;
  };
}

function hasOnlyFrames(change: RunChange): change is FramesChange {
  const { frames, events, checkpoints, revisions, repeated, spent, backgroundTasks, released } = change;
  const lists = [events, checkpoints, revisions, repeated, spent, backgroundTasks];
  const isRest = change.run === undefined && change.thread === undefined && released.length === 0;
  return frames !== undefined && isRest && lists.every(({ length }) => length === 0);
}

function frameRow({ runId, attempt, frames }: FramesChange) {
  const { firstSeq, lastSeq, events } = frames;
  return { run_id: runId, attempt, first_seq: firstSeq, last_seq: lastSeq, events };
}

interface FlushValues {
  readonly workerId: string;
  readonly flush: number;
  readonly after: number;
  readonly pieces: string | null;
  readonly sortedTo: number | null;
  readonly frames: string;
  readonly runs: number;
}

/** Locks runs before the worker, as all commits do. */
const FLUSH = (
  _: Connection,
  values: FlushValues & Record<string, string | number | null>,
): RawBuilder<{ worker_id: string }> => {
  const { workerId, flush, after, pieces, sortedTo, frames, runs } = values;
  return sql`
    with held as (
      select runs.run_id, runs.user_id, given.attempt, given.first_seq, given.last_seq, given.events
      from json_to_recordset(cast(${frames} as json))
        as given (run_id text, attempt integer, first_seq bigint, last_seq bigint, events text)
      inner join runs on runs.run_id = given.run_id and runs.attempt = given.attempt
      where runs.status = 'running' and runs.lease_owner = cast(${workerId} as text)
      order by runs.run_id for update of runs
    ), counted as (
      update workers set flush = cast(${flush} as bigint), lost = null
      where worker_id = cast(${workerId} as text) and fenced = 0 and flush = cast(${after} as bigint)
        and (select count(*) from held) = cast(${runs} as bigint)
      returning worker_id
    ), logged as (
      insert into run_log (worker_id, flush, pieces)
      select worker_id, cast(${flush} as bigint), cast(${pieces} as text) from counted
      where cast(${pieces} as text) is not null
    ), sorted as (
      insert into run_frames (run_id, first_seq, last_seq, attempt, events, user_id)
      select run_id, first_seq, last_seq, attempt, events, user_id from held cross join counted
    ), removed as (
      delete from run_log using counted
      where run_log.worker_id = counted.worker_id and run_log.flush <= cast(${sortedTo} as bigint)
    )
    select worker_id from counted`;
};
