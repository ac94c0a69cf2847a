// Checkpoints of the threads that an owner sees, in SQL.
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type {
  AppendOptions,
  CheckpointQuery,
  CheckpointRepository,
  CurrentHead,
  NewCheckpoint,
} from '../../checkpoints.ts';
import type { Owner } from '../../storage.ts';
import { CHECKPOINT_FACTS, type CheckpointFactsRow, toCheckpoint } from '../checkpoints/checkpoint-rows.ts';
import { readLineage } from '../checkpoints/lineage.ts';
import {
  type AskedThread,
  isCopy,
  isInherited,
  isOneOf,
  isOwn,
  listSeenByCopy,
} from '../checkpoints/seen-checkpoints.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, writableBy } from '../database/owner-filter.ts';
import { unpackText } from '../database/packed-text.ts';
import type { Tables, ThreadsTable } from '../database/tables.ts';
import type { Heads } from '../messages/lineage-parting.ts';
import type { RecordWriters } from '../messages/record-writers.ts';
import { hasActiveRun } from '../runs/run-cancellation.ts';
import { titleOf } from '../search/search-entries.ts';

interface CheckpointParts extends Omit<RecordWriters, 'appendRunEvents'> {
  readonly database: Database;
  readonly owner: Owner;
}

export function createCheckpointRepository(parts: CheckpointParts): CheckpointRepository {
  const { database, insertCheckpoints, searchEntries, messageRevisions, headMoves, owner } = parts;
  const asked = (threadId: string): AskedThread => ({ owner, threadId });
  const retitle = async (
    trx: WriteTransaction,
    thread: Pick<ThreadsTable, 'thread_id' | 'user_id' | 'display_name'>,
    title: string | undefined,
  ) => {
    if (title === undefined || title === thread.display_name) return;
    await searchEntries.setTitle(trx, titleOf({ ...thread, display_name: title }));
  };
  return {
    get: (threadId, checkpointId) =>
      database.read(async (db) => {
        const row = await seen(withId(db, checkpointId).select(CHECKPOINT_FACTS), asked(threadId));
        return row && toCheckpoint(row, threadId);
      }),

    headBytes: (threadIds) => database.read((db) => sumOfHeads(database, db, { owner, threadIds })),

    list: (threadId, query) =>
      database.read(async (db) => {
        const thread = asked(threadId);
        const copied = await isCopy(db, thread);
        if (copied === undefined) return [];
        const rows = copied ? await listSeenByCopy(db, thread, query) : await listOwn(db, threadId, query);
        return rows.map((row) => toCheckpoint(row, threadId));
      }),

    // In one statement, because every run begins with it.
    current: (threadId) =>
      database.read(async (db): Promise<CurrentHead | undefined> => {
        const [row] = await database.run(db, FIND_CURRENT, { owner, threadId });
        const head = row?.checkpoint_id == null ? undefined : toCheckpoint(row, threadId);
        return row && { head, newestAt: row.newest_at ?? 0 };
      }),

    delta: (threadId, checkpointId) =>
      database.read(async (db) => {
        const row = await seen(withId(db, checkpointId).select('delta'), asked(threadId));
        return row && unpackText(row.delta);
      }),

    lineage: (threadId, checkpointId) => readLineage(database, asked(threadId), checkpointId),

    append: async (threadId, checkpoint, options) => {
      const appended = { thread: asked(threadId), checkpoint, options };
      const move = await prepare(parts, appended);
      const outcome = await database.write(async (trx) => {
        const thread = await appendableThread(database, trx, appended);
        if (typeof thread === 'string') return thread;
        const heads = headsOf(appended);
        if (move === undefined || !(await headMoves.takeEffect(trx, heads, move))) return 'busy';
        await insertCheckpoints(trx, [{ threadId, userId: thread.user_id, checkpoint }]);
        await messageRevisions.recordEdits(trx, threadId, move.edits);
        await moveHead(trx, threadId, { ...options, checkpoint });
        await retitle(trx, thread, options.displayName);
        return 'appended';
      });
      // What it took out is told of in the record when this resolves; if this process dies, another one goes on.
      if (outcome === 'appended') await headMoves.settle(database, threadId).catch(() => {});
      return outcome;
    },
  };
}

interface AppendedCheckpoint {
  readonly thread: AskedThread;
  readonly checkpoint: NewCheckpoint;
  readonly options: AppendOptions;
}

function headsOf({ thread: { threadId }, checkpoint, options }: AppendedCheckpoint): Heads {
  return { threadId, fromId: options.expectedHead, toId: checkpoint.parentId };
}

/** Nothing is prepared for a checkpoint that cannot be appended; the transaction finds out why. */
function prepare({ database, headMoves }: CheckpointParts, appended: AppendedCheckpoint) {
  return headMoves.prepare(database, {
    ...headsOf(appended),
    token: appended.checkpoint.checkpointId,
    mayMove: async (trx) => typeof (await appendableThread(database, trx, appended)) !== 'string',
    revisions: appended.options.revisions ?? [],
  });
}

/** The thread, locked; or why the checkpoint cannot be appended to it. */
async function appendableThread(
  database: Database,
  trx: WriteTransaction,
  { thread: asked, checkpoint: { parentId }, options }: AppendedCheckpoint,
) {
  const query = trx
    .selectFrom('threads')
    .select(['head_checkpoint_id', 'thread_id', 'user_id', 'display_name'])
    .where('thread_id', '=', asked.threadId);
  const thread = await database.locked(query).where(writableBy(asked.owner, 'user_id')).executeTakeFirst();
  if (thread === undefined) return 'no_thread';
  if (thread.head_checkpoint_id !== options.expectedHead || (await hasActiveRun(trx, asked.threadId)))
    return 'busy';
  if (parentId === null) return thread;
  const parent = await seen(withId(trx, parentId).select('checkpoint_id'), asked);
  return parent === undefined ? 'no_parent' : thread;
}

function withId(db: Connection, checkpointId: string) {
  return db.selectFrom('checkpoints').where('checkpoint_id', '=', checkpointId);
}

/** The checkpoint, if the thread sees it: its own, or one of the thread that it was copied from. */
async function seen<Row>(query: SelectQueryBuilder<Tables, 'checkpoints', Row>, thread: AskedThread) {
  const own = await query.where(isOwn(thread)).executeTakeFirst();
  return own ?? query.where(isInherited(thread)).executeTakeFirst();
}

type CurrentRow = { readonly newest_at: number | null } & (
  | CheckpointFactsRow
  | { readonly checkpoint_id: null }
);

const FIND_CURRENT = (_: Connection, { owner, threadId }: { owner: Owner; threadId: string }) => {
  const facts = sql.join(CHECKPOINT_FACTS.map((column) => sql.ref(`head.${column}`)));
  return sql<CurrentRow>`
    select ${facts}, (
      select created_at from checkpoints where thread_id = ${threadId} order by created_at desc limit 1
    ) as newest_at
    from threads left join checkpoints as head on head.checkpoint_id = threads.head_checkpoint_id
    where threads.thread_id = ${threadId} and ${readableBy(owner, 'threads.user_id')}
  `;
};

function listOwn(db: Connection, threadId: string, { limit, before, ids, namespace = '' }: CheckpointQuery) {
  let page = db
    .selectFrom('checkpoints')
    .select(CHECKPOINT_FACTS)
    .where('thread_id', '=', threadId)
    .where('namespace', '=', namespace);
  if (before !== undefined) page = page.where(olderThan(threadId, before));
  if (ids !== undefined) page = page.where(isOneOf('checkpoint_id', ids));
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

/** Of one thread with every run, of many now and then. */
async function sumOfHeads(
  database: Database,
  db: Connection,
  { owner, threadIds }: { readonly owner: Owner; readonly threadIds: readonly string[] },
): Promise<number> {
  const [threadId, ...others] = threadIds;
  if (threadId === undefined) return 0;
  if (others.length === 0)
    return Number((await database.run(db, FIND_BYTES, { owner, threadId }))[0]?.bytes ?? 0);
  const sums = headBytes(db, owner).where('threads.thread_id', 'in', threadIds);
  return Number((await sums.executeTakeFirst())?.bytes ?? 0);
}

const FIND_BYTES = (queries: Connection, { owner, threadId }: { owner: Owner; threadId: string }) =>
  headBytes(queries, owner).where('threads.thread_id', '=', threadId);

function headBytes(queries: Connection, owner: Owner) {
  return queries
    .selectFrom('threads')
    .innerJoin('checkpoints', 'checkpoints.checkpoint_id', 'threads.head_checkpoint_id')
    .select(({ fn }) => fn.sum('checkpoints.fold_bytes').as('bytes'))
    .where(readableBy(owner, 'threads.user_id'));
}

async function moveHead(
  trx: WriteTransaction,
  threadId: string,
  { checkpoint, displayName, status, isActivity }: AppendOptions & { readonly checkpoint: NewCheckpoint },
): Promise<void> {
  await trx
    .updateTable('threads')
    .set({
      head_checkpoint_id: checkpoint.checkpointId,
      updated_at: checkpoint.createdAt,
      state_updated_at: isActivity === true ? checkpoint.createdAt : undefined,
      display_name: displayName,
      status,
    })
    .where('thread_id', '=', threadId)
    .execute();
}
