// A walk from a checkpoint through its ancestors, read a bounded amount at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';

/** Runs one query, in a current transaction or by itself. */
export type Read = <T>(query: (db: Connection) => Promise<T>) => Promise<T>;

/**
 * Returns reads outside any transaction, between which other work gets its turn. Concurrent writes must not
 * affect what they read.
 */
export function readsOf(database: Database): Read {
  return async (query) => {
    await nextTurn();
    return database.read(query);
  };
}

/** Returns reads in this transaction. */
export function readsIn(trx: WriteTransaction): Read {
  return (query) => query(trx);
}

const CHECKPOINTS_AT_ONCE = 100;

interface Place {
  readonly checkpoint_id: string;
  readonly parent_id: string | null;
  readonly step: number;
}

/** Yields the checkpoint and its ancestors, whose steps fall; nothing for `null`. */
export async function* ancestorsOf(
  read: Read,
  checkpointId: string | null,
): AsyncGenerator<Place, undefined> {
  for (let next = checkpointId; next !== null; ) {
    const first = next;
    const page = await read((db) => nearestAncestors(db, first));
    yield* page;
    next = page.at(-1)?.parent_id ?? null;
  }
}

/** Returns the checkpoint and its ancestors, nearest first, up to a page. */
async function nearestAncestors(db: Connection, checkpointId: string): Promise<readonly Place[]> {
  const { rows } = await sql<Place>`
    with recursive line (checkpoint_id, parent_id, step, distance) as (
      select checkpoint_id, parent_id, step, 1 from checkpoints where checkpoint_id = ${checkpointId}
      union all
      select parent.checkpoint_id, parent.parent_id, parent.step, distance + 1
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
      where distance < ${CHECKPOINTS_AT_ONCE}
    )
    select checkpoint_id, parent_id, step from line order by distance`.execute(db);
  return rows;
}
