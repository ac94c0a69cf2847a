// Checkpoints of the threads that an owner sees, in SQL.
import { type SqlBool, sql } from 'kysely';
import type { AppendOptions, CheckpointQuery, CheckpointRepository, NewCheckpoint } from '../checkpoints.ts';
import type { LineMove } from '../run-commits.ts';
import type { Owner } from '../storage.ts';
import { CHECKPOINT_FACTS, type CheckpointFactsRow, toCheckpoint } from './checkpoint-rows.ts';
import type { Connection, Database, WriteTransaction } from './database.ts';
import { moveLine, plannedMove } from './line-moves.ts';
import { readLineage } from './lineage.ts';
import { readableBy, writableBy } from './owner-filter.ts';
import { unpackText } from './packed-text.ts';
import type { RecordWriters } from './record-writers.ts';
import { hasActiveRun } from './run-cancellation.ts';
import { titleOf } from './search-entries.ts';
import { type AskedThread, isCopy, isInherited, isOneOf, isOwn, listSeenByCopy } from './seen-checkpoints.ts';
import type { ThreadsTable } from './tables.ts';

interface CheckpointParts
  extends Pick<RecordWriters, 'insertCheckpoints' | 'searchEntries' | 'messageRevisions'> {
  readonly database: Database;
  readonly owner: Owner;
}

export function createCheckpointRepository({
  database,
  insertCheckpoints,
  searchEntries,
  messageRevisions,
  owner,
}: CheckpointParts): CheckpointRepository {
  const asked = (threadId: string): AskedThread => ({ owner, threadId });
  const retitle = async (
    trx: WriteTransaction,
    thread: Pick<ThreadsTable, 'thread_id' | 'user_id' | 'display_name'>,
    title: string | undefined,
  ) => {
    if (title === undefined || title === thread.display_name) return;
    await searchEntries.setTitle(trx, titleOf({ ...thread, display_name: title }));
  };
  const leave = async (trx: WriteTransaction, threadId: string, move: LineMove | undefined) => {
    if (move === undefined) return;
    await moveLine(trx, { threadId, ...move }, move);
    await messageRevisions.settle(trx, threadId, move.toId);
  };
  return {
    get: (threadId, checkpointId) =>
      database.read(async (db) => {
        const row = await findSeen(db, asked(threadId), checkpointId);
        return row && toCheckpoint(row, threadId);
      }),

    headBytes: (threadIds) => database.read((db) => sumOfHeads(db, owner, threadIds)),

    list: (threadId, query) =>
      database.read(async (db) => {
        const thread = asked(threadId);
        const copied = await isCopy(db, thread);
        if (copied === undefined) return [];
        const rows = copied ? await listSeenByCopy(db, thread, query) : await listOwn(db, threadId, query);
        return rows.map((row) => toCheckpoint(row, threadId));
      }),

    newestAt: (threadId) =>
      database.read(async (db) => {
        const own = db
          .selectFrom('checkpoints')
          .select('created_at')
          .where(isOwn(asked(threadId)));
        return (await own.orderBy('created_at', 'desc').limit(1).executeTakeFirst())?.created_at ?? 0;
      }),

    delta: (threadId, checkpointId) => database.read((db) => findDelta(db, asked(threadId), checkpointId)),

    lineage: (threadId, checkpointId) => readLineage(database, asked(threadId), checkpointId),

    append: async (threadId, checkpoint, options) => {
      const { parentId } = checkpoint;
      const isBranch = parentId !== options.expectedHead;
      const heads = { threadId, fromId: options.expectedHead, toId: parentId };
      const move = isBranch ? await plannedMove(database, heads) : undefined;
      return database.write(async (trx) => {
        const query = trx
          .selectFrom('threads')
          .select(['head_checkpoint_id', 'thread_id', 'user_id', 'display_name'])
          .where('thread_id', '=', threadId);
        const thread = await database.locked(query).where(writableBy(owner, 'user_id')).executeTakeFirst();
        if (thread === undefined) return 'no_thread';
        if (thread.head_checkpoint_id !== options.expectedHead || (await hasActiveRun(trx, threadId)))
          return 'busy';
        const parent = parentId === null || (await findSeen(trx, asked(threadId), parentId));
        if (parent === undefined) return 'no_parent';
        await leave(trx, threadId, move);
        await insertCheckpoints(trx, [{ threadId, userId: thread.user_id, checkpoint }]);
        await messageRevisions.record(trx, threadId, options.revisions ?? []);
        await moveHead(trx, threadId, { ...options, checkpoint });
        await retitle(trx, thread, options.displayName);
        return 'appended';
      });
    },
  };
}

async function findSeen(
  db: Connection,
  thread: AskedThread,
  checkpointId: string,
): Promise<CheckpointFactsRow | undefined> {
  const found = db
    .selectFrom('checkpoints')
    .select(CHECKPOINT_FACTS)
    .where('checkpoint_id', '=', checkpointId);
  const own = await found.where(isOwn(thread)).executeTakeFirst();
  return own ?? found.where(isInherited(thread)).executeTakeFirst();
}

async function findDelta(
  db: Connection,
  thread: AskedThread,
  checkpointId: string,
): Promise<string | undefined> {
  const found = db.selectFrom('checkpoints').select('delta').where('checkpoint_id', '=', checkpointId);
  const own = await found.where(isOwn(thread)).executeTakeFirst();
  const row = own ?? (await found.where(isInherited(thread)).executeTakeFirst());
  return row && unpackText(row.delta);
}

function listOwn(db: Connection, threadId: string, { limit, before, ids, namespace = '' }: CheckpointQuery) {
  let page = db
    .selectFrom('checkpoints')
    .select(CHECKPOINT_FACTS)
    .where('thread_id', '=', threadId)
    .where('namespace', '=', namespace);
  if (before !== undefined) page = page.where(olderThan(threadId, before));
  if (ids !== undefined) page = page.where(isOneOf(ids));
  return page
    .orderBy('created_at', 'desc')
    .orderBy('step', 'desc')
    .orderBy('checkpoint_id', 'desc')
    .limit(limit)
    .execute();
}

/** In the order of `list`; nothing is older than a checkpoint that the thread does not have. */
function olderThan(threadId: string, checkpointId: string) {
  return sql<SqlBool>`(checkpoints.created_at, checkpoints.step, checkpoints.checkpoint_id) < (
    select created_at, step, checkpoint_id from checkpoints
    where checkpoint_id = ${checkpointId} and thread_id = ${threadId}
  )`;
}

async function sumOfHeads(db: Connection, owner: Owner, threadIds: readonly string[]): Promise<number> {
  if (threadIds.length === 0) return 0;
  const heads = db
    .selectFrom('threads')
    .innerJoin('checkpoints', 'checkpoints.checkpoint_id', 'threads.head_checkpoint_id')
    .select(({ fn }) => fn.sum('checkpoints.fold_bytes').as('bytes'))
    .where('threads.thread_id', 'in', threadIds)
    .where(readableBy(owner, 'threads.user_id'));
  return Number((await heads.executeTakeFirst())?.bytes ?? 0);
}

async function moveHead(
  trx: WriteTransaction,
  threadId: string,
  { checkpoint, displayName, status }: AppendOptions & { readonly checkpoint: NewCheckpoint },
): Promise<void> {
  await trx
    .updateTable('threads')
    .set({
      head_checkpoint_id: checkpoint.checkpointId,
      updated_at: checkpoint.createdAt,
      ...(displayName !== undefined && { display_name: displayName }),
      ...(status !== undefined && { status }),
    })
    .where('thread_id', '=', threadId)
    .execute();
}
