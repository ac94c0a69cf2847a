// Imports of threads, in SQL. The threads belong to their import until it is published.
import { sql } from 'kysely';
import { conflict } from '../../../errors.ts';
import type { NewAuditEntry } from '../../audit-log.ts';
import type { ImportedRows, ThreadImport, ThreadImports } from '../../thread-packages.ts';
import type { ThreadRecord } from '../../threads.ts';
import type { AppendAudit } from '../audit/audit-log.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { takeNotes } from '../database/due-notes.ts';
import { hiddenOwner } from '../database/owner-filter.ts';
import type { RecordWriters } from '../messages/record-writers.ts';
import { numberEndedRuns } from '../runs/run-numbers.ts';
import { indexMetadata } from '../search/thread-metadata.ts';
import { hideThread } from '../threads/thread-removals.ts';
import { toThreadRow } from '../threads/thread-rows.ts';
import { createInsertImportedRows, remarkImported } from './imported-rows.ts';

interface ThreadImportParts extends RecordWriters {
  readonly appendAudit: AppendAudit;
}

const IMPORTS = { table: 'thread_imports', id: 'import_id', marks: sql`, abandoned = 1` } as const;

export function createThreadImports(database: Database, parts: ThreadImportParts): ThreadImports {
  const insertRows = createInsertImportedRows(database, parts);

  /** Runs a transaction of an import, which renews its claim first. */
  const writeClaimed = <T>(current: ThreadImport, change: (trx: WriteTransaction) => Promise<T>) =>
    database.write(async (trx) => {
      await renewClaim(trx, current);
      return change(trx);
    });

  return {
    open: async ({ importId, userId, takenUntil }) => {
      await database.write((trx) =>
        trx
          .insertInto('thread_imports')
          .values({ import_id: importId, user_id: userId, taken_until: takenUntil, abandoned: 0 })
          .execute(),
      );
    },

    beginThread: (current, thread) =>
      writeClaimed(current, async (trx) => {
        if (await isTaken(trx, thread.threadId)) return 'taken';
        if (!(await insertHidden(trx, current, thread))) return 'taken';
        const { threadId, displayName } = thread;
        const title = { threadId, userId: current.userId, text: displayName ?? '' };
        await parts.searchEntries.setTitle(trx, title);
        return 'begun';
      }),

    add: (current, threadId, rows) =>
      writeClaimed(current, async (trx) => {
        if (await hasKnownIds(trx, rows)) return 'taken';
        await insertRows(trx, { threadId, userId: current.userId }, rows);
        return 'added';
      }),

    dropThread: (current, threadId) =>
      writeClaimed(current, async (trx) => {
        // There can be no copy, which would still see the checkpoints.
        await trx.deleteFrom('checkpoints').where('thread_id', '=', threadId).execute();
        await trx.deleteFrom('threads').where('thread_id', '=', threadId).execute();
      }),

    renewClaim: (current) => writeClaimed(current, async () => {}),

    finishThread: (current, { threadId, status, headCheckpointId }) =>
      writeClaimed(current, async (trx) => {
        await trx
          .updateTable('threads')
          .set({ status, head_checkpoint_id: headCheckpointId })
          .where('thread_id', '=', threadId)
          .execute();
        await numberEndedRuns(trx, threadId);
        await remarkImported(trx, threadId, headCheckpointId);
        await parts.messageRevisions.adopt(trx, threadId, headCheckpointId);
      }),

    publish: (current, asked) =>
      database.write((trx) => publish(trx, { ...parts, database, current, asked })),

    take: async (claim) => {
      const taken = await takeNotes(database, IMPORTS, claim);
      const { takenUntil } = claim;
      return taken.map(({ id, user_id: userId }) => ({ importId: id, userId, takenUntil }));
    },

    removeThreads: (current, limit) => database.write((trx) => removeThreads(trx, current, limit)),

    close: async ({ importId }) => {
      await database.write((trx) =>
        trx.deleteFrom('thread_imports').where('import_id', '=', importId).execute(),
      );
    },
  };
}

async function renewClaim(trx: WriteTransaction, { importId, takenUntil }: ThreadImport): Promise<void> {
  const found = await trx
    .updateTable('thread_imports')
    .set({ taken_until: takenUntil })
    .where('import_id', '=', importId)
    .where('abandoned', '=', 0)
    .returning('import_id')
    .executeTakeFirst();
  if (found === undefined) throw conflict('The import was abandoned because it made no progress. Try again.');
}

async function isTaken(trx: WriteTransaction, threadId: string): Promise<boolean> {
  const removal = trx.selectFrom('thread_removals').select('thread_id').where('thread_id', '=', threadId);
  return (await removal.executeTakeFirst()) !== undefined;
}

async function insertHidden(
  trx: WriteTransaction,
  current: ThreadImport,
  thread: Omit<ThreadRecord, 'userId' | 'status' | 'headCheckpointId'>,
): Promise<boolean> {
  const row = await trx
    .insertInto('threads')
    .values(toThreadRow({ ...thread, userId: hiddenOwner(current), status: 'idle', headCheckpointId: null }))
    .onConflict((onThread) => onThread.column('thread_id').doNothing())
    .returning('thread_id')
    .executeTakeFirst();
  if (row === undefined) return false;
  await indexMetadata(trx, { threadId: thread.threadId, userId: hiddenOwner(current) }, thread.metadata);
  return true;
}

async function hasKnownIds(
  trx: WriteTransaction,
  { runs, checkpoints, feedback }: ImportedRows,
): Promise<boolean> {
  const added = [
    ['runs', 'run_id', runs.map(({ runId }) => runId)],
    ['feedback', 'feedback_id', feedback.map(({ feedbackId }) => feedbackId)],
    ['checkpoints', 'checkpoint_id', checkpoints.map(({ checkpointId }) => checkpointId)],
  ] as const;
  for (const [table, column, ids] of added) {
    if (ids.length === 0) continue;
    const known = sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(ids)}) limit 1`;
    if ((await known.execute(trx)).rows.length > 0) return true;
  }
  return false;
}

interface Publication extends ThreadImportParts {
  readonly database: Database;
  readonly current: ThreadImport;
  readonly asked: Pick<NewAuditEntry, 'actor' | 'clientIp'>;
}

async function publish(
  trx: WriteTransaction,
  { database, appendAudit, current, asked }: Publication,
): Promise<void> {
  const { userId, importId } = current;
  const account = trx.selectFrom('users').select('id').where('id', '=', userId);
  if ((await database.locked(account).executeTakeFirst()) === undefined) {
    throw conflict('The account has been deleted.');
  }
  await renewClaim(trx, current);
  // The threads come last, because the entries are found through them.
  const hidden = trx.selectFrom('threads').select('thread_id').where('user_id', '=', hiddenOwner(current));
  const entries = trx.updateTable('thread_metadata').set({ user_id: userId });
  await entries.where('thread_id', 'in', hidden).execute();
  const published = await trx
    .updateTable('threads')
    .set({ user_id: userId })
    .where('user_id', '=', hiddenOwner(current))
    .returning('thread_id')
    .execute();
  await trx.deleteFrom('thread_imports').where('import_id', '=', importId).execute();
  // Runs that ended long ago are new here.
  await trx.updateTable('event_retention').set({ finished_at: -1, run_id: '' }).execute();
  const details = { threads: published.length };
  await appendAudit(trx, { act: 'import', ...asked, subject: userId, details });
}

async function removeThreads(trx: WriteTransaction, current: ThreadImport, limit: number): Promise<number> {
  const query = trx.selectFrom('threads').select('thread_id').where('user_id', '=', hiddenOwner(current));
  const ids = (await query.limit(limit).execute()).map((row) => row.thread_id);
  if (ids.length === 0) return 0;
  for (const id of ids) await hideThread(trx, id);
  const notes = ids.map((id) => ({ thread_id: id, user_id: current.userId, taken_until: 0 }));
  await trx.insertInto('thread_removals').values(notes).execute();
  return ids.length;
}
