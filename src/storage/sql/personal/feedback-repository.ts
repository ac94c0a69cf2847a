// Feedback of one owner, in SQL.
import type { FeedbackRepository, NewFeedback } from '../../feedback.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, stampOf, writableBy } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';

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
    const run = await runs.where('run_id', '=', runId).executeTakeFirst();
    return run === undefined ? undefined : (stampOf(owner) ?? thread.user_id ?? undefined);
  };

  return {
    create: (feedback) =>
      database.write(async (trx) => {
        const userId = await rater(trx, feedback);
        if (userId === undefined) return 'absent';
        const row = await insertion(trx, feedback, userId)
          .onConflict((conflict) => conflict.columns(ONCE).doNothing())
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? 'exists' : FEEDBACK.fieldsOf(row);
      }),

    put: (feedback) =>
      database.write(async (trx) => {
        const userId = await rater(trx, feedback);
        if (userId === undefined) return 'absent';
        const { messageId: message_id, rating, comment, createdAt: created_at } = feedback;
        const row = await insertion(trx, feedback, userId)
          .onConflict((conflict) =>
            conflict.columns(ONCE).doUpdateSet({ message_id, rating, comment, created_at }),
          )
          .returningAll()
          .executeTakeFirstOrThrow();
        return FEEDBACK.fieldsOf(row);
      }),

    list: async (threadId, runIds) => {
      if (runIds.length === 0) return [];
      return database.read(async (db) => {
        const rows = visible(db, owner, threadId)
          .selectAll('feedback')
          .where('feedback.run_id', 'in', runIds);
        return (await rows.orderBy('feedback.created_at').orderBy('feedback_id').execute()).map(
          FEEDBACK.fieldsOf,
        );
      });
    },

    stats: (threadId, runId) =>
      database.read(async (db) => {
        const rows = visible(db, owner, threadId).select('feedback.rating');
        const ratings = (await rows.where('feedback.run_id', '=', runId).execute()).map((row) => row.rating);
        const positive = ratings.filter((rating) => rating > 0).length;
        const negative = ratings.length - positive;
        return { count: ratings.length, sum: positive - negative, positive, negative };
      }),

    delete: ({ threadId, runId }, feedbackId) =>
      database.write(async (trx) => {
        let mine = trx.deleteFrom('feedback').where('thread_id', '=', threadId).where('run_id', '=', runId);
        if (feedbackId !== undefined) mine = mine.where('feedback_id', '=', feedbackId);
        const gone = await mine.where(writableBy(owner, 'user_id')).returning('feedback_id').execute();
        return gone.length > 0;
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
