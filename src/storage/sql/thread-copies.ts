// Threads that share their past: made without copying a checkpoint, deleted without taking one from the others.
import { sql } from 'kysely';
import type { ThreadCopy } from '../threads.ts';
import type { Database, WriteTransaction } from './database.ts';
import type { ThreadsTable } from './tables.ts';
import { indexMetadata } from './thread-metadata.ts';

/** Inserts the copy of a locked thread, for this user. */
export async function insertCopy(
  trx: WriteTransaction,
  source: ThreadsTable,
  { copy, userId }: { readonly copy: ThreadCopy; readonly userId: string | null },
): Promise<ThreadsTable> {
  const head = source.head_checkpoint_id;
  const row = await trx
    .insertInto('threads')
    .values({
      thread_id: copy.threadId,
      user_id: userId,
      display_name: source.display_name,
      status: 'idle',
      metadata: JSON.stringify(copy.metadata),
      assistant_id: source.assistant_id,
      head_checkpoint_id: head,
      copied_from_checkpoint_id: head,
      copy_family: head === null ? null : (source.copy_family ?? source.thread_id),
      last_seq: 0,
      temporary: 0,
      created_at: copy.now,
      updated_at: copy.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await indexMetadata(trx, { threadId: copy.threadId, userId }, copy.metadata);
  return row;
}

/**
 * Locks the thread and all that share its past, in the order in which the group commit locks threads. The id of
 * their family; `undefined` when there is no such thread.
 */
export async function lockFamily(
  database: Database,
  trx: WriteTransaction,
  threadId: string,
): Promise<string | undefined> {
  const known = trx.selectFrom('threads').select('copy_family').where('thread_id', '=', threadId);
  const thread = await known.executeTakeFirst();
  if (thread === undefined) return undefined;
  const family = thread.copy_family ?? threadId;
  const members = trx
    .selectFrom('threads')
    .select('thread_id')
    .where((eb) => eb.or([eb('thread_id', 'in', [threadId, family]), eb('copy_family', '=', family)]));
  await database.locked(members.orderBy('thread_id')).execute();
  return family;
}

/** Removes the checkpoints of a thread, except those that a copy still sees: one of the copies owns them from now on. The ids of the removed ones. */
export async function disownCheckpoints(
  trx: WriteTransaction,
  { threadId, family }: { readonly threadId: string; readonly family: string },
): Promise<readonly string[]> {
  // Read after the locks were taken: copies that were made meanwhile are among them.
  const heirs = await trx
    .selectFrom('threads')
    .select((eb) => ['copied_from_checkpoint_id as end', eb.fn.min('thread_id').as('heir')])
    .where('copy_family', '=', family)
    .where('thread_id', '!=', threadId)
    .groupBy('copied_from_checkpoint_id')
    .execute();
  for (const { end, heir } of heirs) {
    await sql`
      update checkpoints set thread_id = ${heir} where thread_id = ${threadId} and checkpoint_id in (
        with recursive line (checkpoint_id, parent_id) as (
          select checkpoint_id, parent_id from checkpoints where checkpoint_id = ${end}
          union all
          select parent.checkpoint_id, parent.parent_id
          from line join checkpoints as parent on parent.checkpoint_id = line.parent_id
        ) select checkpoint_id from line
      )`.execute(trx);
  }
  const removed = trx.deleteFrom('checkpoints').where('thread_id', '=', threadId).returning('checkpoint_id');
  return (await removed.execute()).map((row) => row.checkpoint_id);
}
