// The texts from which a checkpoint folds, from the nearest snapshot on, read a bounded amount at a time.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { createBreath } from '../../../breath.ts';
import type { Connection, Database } from '../database/database.ts';
import { type PackedText, unpackText } from '../database/packed-text.ts';
import { type AskedThread, isInherited, isOwn } from './seen-checkpoints.ts';

/** Returns the texts, oldest first. Empty when the thread does not see the checkpoint, or no longer does. */
export async function readLineage(
  database: Database,
  thread: AskedThread,
  checkpointId: string,
): Promise<readonly string[]> {
  const lineage = await database.read(async (db) => {
    const own = await readEntries(db, checkpointId, isOwn(thread));
    return own.length > 0 ? own : readEntries(db, checkpointId, isInherited(thread));
  });
  return readTexts(database, lineage);
}

interface StoredSize {
  readonly checkpoint_id: string;
  /** The size of its texts as stored. */
  readonly bytes: number;
}

/**
 * Returns the entries from the nearest snapshot to the checkpoint. The parents are found by their keys, and
 * no text is read.
 */
async function readEntries(
  db: Connection,
  checkpointId: string,
  seen: RawBuilder<SqlBool>,
): Promise<readonly StoredSize[]> {
  const { rows } = await sql<StoredSize>`
    with recursive line (checkpoint_id, parent_id, depth) as (
      select checkpoint_id, case when snapshot is null then parent_id end, 0
      from checkpoints where checkpoint_id = ${checkpointId} and ${seen}
      union all
      select parent.checkpoint_id, case when parent.snapshot is null then parent.parent_id end, line.depth + 1
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
    )
    select checkpoints.checkpoint_id, octet_length(coalesce(checkpoints.snapshot, checkpoints.delta)) as bytes
    from line join checkpoints on checkpoints.checkpoint_id = line.checkpoint_id
    order by line.depth desc`.execute(db);
  return rows;
}

/**
 * Returns the texts of the lineage, read a bounded amount at a time; none when one of them was deleted during
 * the read.
 */
async function readTexts(database: Database, lineage: readonly StoredSize[]): Promise<readonly string[]> {
  const breath = createBreath();
  const texts: string[] = [];
  for (const ids of readablePages(lineage)) {
    const page = await database.read(async (db) => {
      const { rows } = await sql<{ checkpoint_id: string; text: PackedText }>`
        select checkpoint_id, coalesce(snapshot, delta) as text from checkpoints
        where checkpoint_id in (${sql.join(ids)})`.execute(db);
      return new Map(rows.map((row) => [row.checkpoint_id, row.text]));
    });
    for (const id of ids) {
      const text = page.get(id);
      if (text === undefined) return [];
      texts.push(unpackText(text));
    }
    await breath();
  }
  return texts;
}

/** One read blocks the service's thread no longer than it takes to copy this much. */
const BYTES_AT_ONCE = 2_097_152;
const TEXTS_AT_ONCE = 500;

/**
 * Yields the ids in order, in pages whose texts may be read in one query. A single text may be as large as
 * its thread.
 */
export function* readablePages(checkpoints: readonly StoredSize[]): Generator<readonly string[]> {
  let ids: string[] = [];
  let size = 0;
  for (const { checkpoint_id, bytes } of checkpoints) {
    if (ids.length > 0 && (size + bytes > BYTES_AT_ONCE || ids.length === TEXTS_AT_ONCE)) {
      yield ids;
      ids = [];
      size = 0;
    }
    ids.push(checkpoint_id);
    size += bytes;
  }
  if (ids.length > 0) yield ids;
}
