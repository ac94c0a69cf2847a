// Checkpoints of the threads that an owner sees, in SQL.
import { sql } from 'kysely';
import type { CheckpointRepository } from '../checkpoints.ts';
import type { Owner } from '../storage.ts';
import type { BulkStatement } from './bulk-statement.ts';
import { toCheckpoint, toCheckpointValues } from './checkpoint-rows.ts';
import type { Connection, Database, WriteTransaction } from './database.ts';
import { readableBy, writableBy } from './owner-filter.ts';
import { hasActiveRun } from './run-cancellation.ts';

export function createCheckpointRepository(
  database: Database,
  insertCheckpoints: BulkStatement<never>,
  owner: Owner,
): CheckpointRepository {
  return {
    get: (threadId, checkpointId) =>
      database.read(async (db) => {
        const query = visibleCheckpoints(db, owner).where('checkpoints.thread_id', '=', threadId);
        const row = await query.where('checkpoint_id', '=', checkpointId).executeTakeFirst();
        return row && toCheckpoint(row);
      }),

    list: (threadId, query) =>
      database.read(async (db) => {
        const all = visibleCheckpoints(db, owner).where('checkpoints.thread_id', '=', threadId);
        const older = query.before === undefined ? all : all.where(olderThan(threadId, query.before));
        const newestFirst = older
          .orderBy('checkpoints.created_at', 'desc')
          .orderBy('step', 'desc')
          .orderBy('checkpoint_id', 'desc');
        return (await newestFirst.limit(query.limit).execute()).map(toCheckpoint);
      }),

    lineage: (checkpointId) => database.read((db) => readLineage(db, owner, checkpointId)),

    append: (threadId, checkpoint, { expectedHead, displayName }) =>
      database.write(async (trx) => {
        const query = trx
          .selectFrom('threads')
          .select('head_checkpoint_id')
          .where('thread_id', '=', threadId);
        const thread = await database.locked(query).where(writableBy(owner, 'user_id')).executeTakeFirst();
        if (thread === undefined) return 'no_thread';
        if (thread.head_checkpoint_id !== expectedHead || (await hasActiveRun(trx, threadId))) return 'busy';
        if (!(await isParent(trx, threadId, checkpoint.parentId))) return 'no_parent';
        await insertCheckpoints(trx, [toCheckpointValues(threadId, checkpoint)]);
        await trx
          .updateTable('threads')
          .set({
            head_checkpoint_id: checkpoint.checkpointId,
            updated_at: checkpoint.createdAt,
            ...(displayName !== undefined && { display_name: displayName }),
          })
          .where('thread_id', '=', threadId)
          .execute();
        return 'appended';
      }),
  };
}

async function isParent(trx: WriteTransaction, threadId: string, parentId: string | null): Promise<boolean> {
  if (parentId === null) return true;
  const parent = trx.selectFrom('checkpoints').select('checkpoint_id').where('thread_id', '=', threadId);
  return (await parent.where('checkpoint_id', '=', parentId).executeTakeFirst()) !== undefined;
}

function visibleCheckpoints(db: Connection, owner: Owner) {
  return db
    .selectFrom('checkpoints')
    .innerJoin('threads', 'threads.thread_id', 'checkpoints.thread_id')
    .selectAll('checkpoints')
    .where(readableBy(owner, 'threads.user_id'));
}

/** In the order of `list`; nothing is older than a checkpoint that the thread does not have. */
function olderThan(threadId: string, checkpointId: string) {
  return sql<boolean>`(checkpoints.created_at, checkpoints.step, checkpoints.checkpoint_id) < (
    select created_at, step, checkpoint_id from checkpoints
    where checkpoint_id = ${checkpointId} and thread_id = ${threadId}
  )`;
}

/** Walks the parents by their keys first; the texts are fetched along the finished line. */
async function readLineage(db: Connection, owner: Owner, checkpointId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ text: string }>`
    with recursive line (checkpoint_id, parent_id, depth) as (
      select checkpoint_id, case when snapshot is null then parent_id end, 0
      from checkpoints join threads on threads.thread_id = checkpoints.thread_id
      where checkpoint_id = ${checkpointId} and ${readableBy(owner, 'threads.user_id')}
      union all
      select parent.checkpoint_id, case when parent.snapshot is null then parent.parent_id end, line.depth + 1
      from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
    )
    select coalesce(checkpoints.snapshot, checkpoints.delta) as text
    from line join checkpoints on checkpoints.checkpoint_id = line.checkpoint_id
    order by line.depth desc`.execute(db);
  return rows.map((row) => row.text);
}
