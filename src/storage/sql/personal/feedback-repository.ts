// Feedback of one owner, in SQL.
import type { FeedbackRepository, NewFeedback } from '../../feedback.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, stampOf, writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { allOf, firstOf, isAny } from '../database/results.ts';

export const FEEDBACK = plainColumns([
  'feedback_id',
  'thread_id',
  'run_id',
  'user_id',
  'message_id',
  'rating',
  'comment',
  'created_at',
]);

const ONCE = ['thread_id', 'run_id', 'user_id'] as const;

export function createFeedbackRepository(database: Database, owner: Owner): FeedbackRepository {
  /**
   * Returns the owner of the new row; `undefined` without such a thread and run. The thread stays locked, so
   * that neither is deleted before the insert.
   */
  const rater = async (trx: WriteTransaction, { threadId, runId }: NewFeedback) => {
    const threads = trx.selectFrom('threads').select('user_id').where('thread_id', '=', threadId);
    const thread = await database.locked(threads).where(writableBy(owner, 'user_id')).executeTakeFirst();
    if (thread === undefined) return undefined;
    const runs = trx.selectFrom('runs').select('run_id').where('thread_id', '=', threadId);
    if (!(await isAny(runs.where('run_id', '=', runId)))) return undefined;
    return stampOf(owner) ?? thread.user_id ?? undefined;
  };

  return {
    create: (feedback) =>
      database.write(async (trx) => {
        const userId = await rater(trx, feedback);
        if (userId === undefined) return 'absent';
        const added = insertion(trx, feedback, userId).onConflict((it) => it.columns(ONCE).doNothing());
        return (await firstOf(added.returningAll(), FEEDBACK.fieldsOf)) ?? 'exists';
      }),

    put: (feedback) =>
      database.write(async (trx) => {
        const userId = await rater(trx, feedback);
        if (userId === undefined) return 'absent';
        const { messageId: message_id, rating, comment, createdAt: created_at } = feedback;
        const current = insertion(trx, feedback, userId).onConflict((it) =>
          it.columns(ONCE).doUpdateSet({ message_id, rating, comment, created_at }),
        );
        return FEEDBACK.fieldsOf(await current.returningAll().executeTakeFirstOrThrow());
      }),

    list: async (threadId, runIds) => {
      if (runIds.length === 0) return [];
      return database.read((db) => {
        const rows = visible(db, owner, threadId)
          .selectAll('feedback')
          .where('feedback.run_id', 'in', runIds);
        return allOf(rows.orderBy('feedback.created_at').orderBy('feedback_id'), FEEDBACK.fieldsOf);
      });
    },

    stats: (threadId, runId) =>
      database.read(async (db) => {
        const rows = visible(db, owner, threadId).select('feedback.rating');
        const ratings = await allOf(rows.where('feedback.run_id', '=', runId), (row) => row.rating);
        const positive = ratings.filter((rating) => rating > 0).length;
        const negative = ratings.length - positive;
        return { count: ratings.length, sum: positive - negative, positive, negative };
      }),

    delete: ({ threadId, runId }, feedbackId) =>
      database.write((trx) => {
        let mine = trx.deleteFrom('feedback').where('thread_id', '=', threadId).where('run_id', '=', runId);
        if (feedbackId !== undefined) mine = mine.where('feedback_id', '=', feedbackId);
        return isAny(mine.where(writableBy(owner, 'user_id')).returning('feedback_id'));
      }),
  };
}

function visible(db: Connection, owner: Owner, threadId: string) {
  return db
    .selectFrom('feedback')
    .innerJoin('threads', 'threads.thread_id', 'feedback.thread_id')
    .where('feedback.thread_id', '=', threadId)
    .where(readableBy(owner, 'threads.user_id'))
    .where(readableBy(owner, 'feedback.user_id'));
}

function insertion(trx: WriteTransaction, feedback: NewFeedback, userId: string) {
  return trx.insertInto('feedback').values(FEEDBACK.columnsOf({ ...feedback, userId }));
}
