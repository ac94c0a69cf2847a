// Threads that share their past: made without copying a checkpoint, deleted without taking one from the others.
import { type Selectable, sql } from 'kysely';
import type { ThreadCopy } from '../../threads.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { isOwned } from '../database/owner-filter.ts';
import { isAny } from '../database/results.ts';
import type { CheckpointsTable } from '../database/run-tables.ts';
import type { ThreadsTable } from '../database/tables.ts';
import { indexMetadata } from '../search/thread-metadata.ts';
import { toThread, toThreadRow } from './thread-rows.ts';

/** Inserts the copy of a locked thread, for this user. */
export async function insertCopy(
  trx: WriteTransaction,
  source: Selectable<ThreadsTable>,
  { copy, userId }: { readonly copy: ThreadCopy; readonly userId: string | null },
): Promise<Selectable<ThreadsTable>> {
  const head = source.head_checkpoint_id;
  const row = await trx
    .insertInto('threads')
    .values({
      ...toThreadRow({
        ...toThread(source),
        threadId: copy.threadId,
        userId,
        status: 'idle',
        metadata: copy.metadata,
        createdAt: copy.now,
        updatedAt: copy.now,
        stateUpdatedAt: copy.now,
      }),
      copied_from_checkpoint_id: head,
      copy_family: head === null ? null : (source.copy_family ?? source.thread_id),
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

/** Which of the places that copies were made at have been dealt with. */
export interface HandedOver {
  readonly ends: ReadonlySet<string>;
  /** Where it goes on with one of them. */
  readonly next?: { readonly end: string; readonly checkpointId: string };
}

export const NOTHING_HANDED_OVER: HandedOver = { ends: new Set() };

const STEPS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1_000_000;

/**
 * Gives the next checkpoints of a deleted thread that a copy still sees to one of the copies, a bounded number at a time.
 * `undefined`: there are none. Under the lock of the family: what copies see was made before the thread was deleted,
 * and copies of these see no more of it.
 */
export async function handOver(
  trx: WriteTransaction,
  { threadId, family }: { readonly threadId: string; readonly family: string },
  { ends, next }: HandedOver,
): Promise<HandedOver | undefined> {
  const heirs = await heirsOf(trx, threadId, family);
  // One that was deleted meanwhile is no heir any more.
  const heir =
    heirs.find(({ end }) => end === next?.end && !ends.has(end)) ?? heirs.find(({ end }) => !ends.has(end));
  if (heir === undefined || !(await hasCheckpoints(trx, threadId))) return undefined;
  const from = heir.end === next?.end ? next.checkpointId : heir.end;
  const { rows } = await sql<
    Pick<CheckpointsTable, 'checkpoint_id' | 'parent_id' | 'thread_id'> & { bytes: number }
  >`
    with recursive line (checkpoint_id, parent_id, thread_id, bytes, place) as (
      select checkpoint_id, parent_id, thread_id, ${BYTES}, 1 from checkpoints where checkpoint_id = ${from}
      union all
      select checkpoints.checkpoint_id, checkpoints.parent_id, checkpoints.thread_id, ${BYTES}, line.place + 1
      from line join checkpoints on checkpoints.checkpoint_id = line.parent_id
      where line.place < ${STEPS_AT_ONCE}
    ) select checkpoint_id, parent_id, thread_id, bytes from line order by place`.execute(trx);
  const inherited: string[] = [];
  let bytes = 0;
  let parentId: string | null = null;
  for (const row of rows) {
    parentId = row.parent_id;
    if (row.thread_id !== threadId) continue;
    inherited.push(row.checkpoint_id);
    bytes += Number(row.bytes);
    if (bytes >= BYTES_AT_ONCE) break;
  }
  if (inherited.length > 0) {
    const given = trx.updateTable('checkpoints').set({ thread_id: heir.threadId });
    await given.where('checkpoint_id', 'in', inherited).execute();
  }
  if (parentId === null) return { ends: new Set([...ends, heir.end]) };
  return { ends, next: { end: heir.end, checkpointId: parentId } };
}

const BYTES = sql`octet_length(checkpoints.delta) + coalesce(octet_length(checkpoints.snapshot), 0)`;

/** For each place that copies were made at, one of the copies. */
async function heirsOf(trx: WriteTransaction, threadId: string, family: string) {
  const rows = await trx
    .selectFrom('threads')
    .select((eb) => ['copied_from_checkpoint_id as end', eb.fn.min('thread_id').as('threadId')])
    .where('copy_family', '=', family)
    .where('thread_id', '!=', threadId)
    .where(isOwned('user_id'))
    .groupBy('copied_from_checkpoint_id')
    .execute();
  return rows.flatMap(({ end, threadId: heir }) => (end === null ? [] : [{ end, threadId: heir }]));
}

function hasCheckpoints(trx: WriteTransaction, threadId: string): Promise<boolean> {
  const own = trx.selectFrom('checkpoints').select('checkpoint_id').where('thread_id', '=', threadId);
  return isAny(own.limit(1));
}
