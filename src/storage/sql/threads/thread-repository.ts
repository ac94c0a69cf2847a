// Threads of one owner, in SQL.
import { validationFailed } from '../../../errors.ts';
import { metadataProblem } from '../../../messages/bounded-json.ts';
import type { JsonObject } from '../../../messages/message.ts';
import type { Owner } from '../../storage.ts';
import type { NewThread, ThreadPatch, ThreadRepository } from '../../threads.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { parseJsonObject } from '../database/json-column.ts';
import { readableBy, stampOf, writableBy } from '../database/owner-filter.ts';
import { isAny } from '../database/results.ts';
import { hasActiveRun } from '../runs/run-cancellation.ts';
import { partSchedulesFrom } from '../schedules/schedule-repository.ts';
import { type SearchEntries, titleOf } from '../search/search-entries.ts';
import { indexMetadata, replaceMetadata } from '../search/thread-metadata.ts';
import { insertCopy, lockFamily } from './thread-copies.ts';
import { hideThread } from './thread-removals.ts';
import { toThread, toThreadRow } from './thread-rows.ts';
import { countThreads, searchThreads } from './thread-search.ts';

interface ThreadParts {
  readonly database: Database;
  /** Threads that share their past may have several owners. */
  readonly families: Database;
  readonly appendAudit: AppendAudit;
  readonly searchEntries: SearchEntries;
  readonly owner: Owner;
}

export function createThreadRepository(parts: ThreadParts): ThreadRepository {
  const { database, families, appendAudit, searchEntries, owner } = parts;
  const changing = (trx: WriteTransaction, threadId: string) =>
    database
      .locked(trx.selectFrom('threads').selectAll().where('thread_id', '=', threadId))
      .where(writableBy(owner, 'user_id'));

  return {
    create: (thread) =>
      database.write(async (trx) => {
        const row = await insertThread(trx, thread, stampOf(owner));
        if (row !== undefined) {
          if (await dropWhileRemoved(trx, thread.threadId)) return 'taken';
          await indexMetadata(trx, { threadId: thread.threadId, userId: row.user_id }, thread.metadata);
          return { thread: toThread(row), created: true };
        }
        const existing = await changing(trx, thread.threadId).executeTakeFirst();
        return existing === undefined ? 'taken' : { thread: toThread(existing), created: false };
      }),

    get: (threadId) =>
      database.read(async (db) => {
        const [row] = await database.run(db, FIND_THREAD, { threadId, owner });
        return row && toThread(row);
      }),

    search: (query) => database.read((db) => searchThreads(db, owner, query)),

    count: (filter) => database.read((db) => countThreads(db, owner, filter)),

    update: (threadId, patch) =>
      database.write(async (trx) => {
        const current = await changing(trx, threadId).executeTakeFirst();
        if (current === undefined) return undefined;
        const changes = await patchColumns(trx, current, patch);
        await trx.updateTable('threads').set(changes).where('thread_id', '=', threadId).execute();
        const changed = { ...current, ...changes };
        if (changed.display_name !== current.display_name)
          await searchEntries.setTitle(trx, titleOf(changed));
        return toThread(changed);
      }),

    copy: (threadId, copy) =>
      families.write(async (trx) => {
        const source = await database.locked(FIND_THREAD(trx, { threadId, owner })).executeTakeFirst();
        if (source === undefined) return undefined;
        const userId = stampOf(owner) ?? source.user_id;
        const row = await insertCopy(trx, source, { copy, userId });
        await searchEntries.setTitle(trx, titleOf(row));
        return toThread(row);
      }),

    delete: (threadId, takenUntil = 0, clientIp = null) =>
      families.write(async (trx) => {
        const family = await lockFamily(database, trx, threadId);
        const mine = await changing(trx, threadId).executeTakeFirst();
        if (family === undefined || mine === undefined) return 'absent';
        if (await hasActiveRun(trx, threadId)) return 'active';
        await hideThread(trx, threadId);
        await partSchedulesFrom(trx, threadId);
        const note = { thread_id: threadId, user_id: mine.user_id, taken_until: takenUntil };
        await trx.insertInto('thread_removals').values(note).execute();
        const act = { act: 'thread_delete', actor: stampOf(owner), clientIp, subject: threadId } as const;
        await appendAudit(trx, act);
        return 'deleted';
      }),
  };
}

const FIND_THREAD = (queries: Connection, { threadId, owner }: { threadId: string; owner: Owner }) =>
  queries
    .selectFrom('threads')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where(readableBy(owner, 'user_id'));

/**
 * Takes the new row back while the files of an earlier thread with this id are being removed: they would be the new
 * thread's otherwise. Looked at after the insertion, which waits for a deletion of the same id to be decided.
 */
async function dropWhileRemoved(trx: WriteTransaction, threadId: string): Promise<boolean> {
  const removals = trx.selectFrom('thread_removals').select('thread_id').where('thread_id', '=', threadId);
  const isRemoved = await isAny(removals);
  if (isRemoved) await trx.deleteFrom('threads').where('thread_id', '=', threadId).execute();
  return isRemoved;
}

const EMPTY = { displayName: null, status: 'idle', headCheckpointId: null } as const;

function insertThread(trx: WriteTransaction, thread: NewThread, userId: string | null) {
  return trx
    .insertInto('threads')
    .values({
      ...toThreadRow({
        ...EMPTY,
        ...thread,
        userId,
        createdAt: thread.now,
        updatedAt: thread.now,
        stateUpdatedAt: thread.now,
      }),
      temporary: thread.temporary === true ? 1 : 0,
    })
    .onConflict((conflict) => conflict.column('thread_id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

function isNoLarger(metadata: JsonObject, before: JsonObject): boolean {
  const hasNewKey = Object.keys(metadata).length !== Object.keys(before).length;
  return !hasNewKey && JSON.stringify(metadata).length <= JSON.stringify(before).length;
}

/** The columns that the patch changes; the searchable copy of the metadata follows. */
async function patchColumns(
  trx: WriteTransaction,
  current: { readonly thread_id: string; readonly user_id: string | null; readonly metadata: string },
  patch: ThreadPatch,
): Promise<{ updated_at: number; display_name?: string; metadata?: string }> {
  const name = patch.displayName === undefined ? {} : { display_name: patch.displayName };
  if (patch.metadata === undefined) return { updated_at: patch.now, ...name };
  const before = parseJsonObject(current.metadata);
  const metadata = { ...before, ...patch.metadata };
  const problem = metadataProblem(metadata);
  // What was there before there was a bound can still be changed, and made smaller.
  if (problem !== undefined && !isNoLarger(metadata, before))
    throw validationFailed(['body', 'metadata'], `${problem}, with what is there`);
  await replaceMetadata(trx, current, metadata);
  return { updated_at: patch.now, ...name, metadata: JSON.stringify(metadata) };
}
