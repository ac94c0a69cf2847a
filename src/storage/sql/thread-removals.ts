// The notes that deletions leave, in SQL.
import type { ThreadRemovals } from '../thread-removals.ts';
import type { Database } from './database.ts';

export function createThreadRemovals(database: Database): ThreadRemovals {
  return {
    take: ({ now, takenUntil, limit }) =>
      database.write(async (trx) => {
        const due = trx.selectFrom('thread_removals').select('thread_id').where('taken_until', '<=', now);
        const oldest = due.orderBy('taken_until').orderBy('thread_id').limit(limit);
        const rows = await database.locked(oldest).execute();
        if (rows.length === 0) return [];
        const ids = rows.map((row) => row.thread_id);
        const taken = await trx
          .updateTable('thread_removals')
          .set({ taken_until: takenUntil })
          .where('thread_id', 'in', ids)
          .returning(['thread_id', 'user_id'])
          .execute();
        return taken.map((row) => ({ threadId: row.thread_id, userId: row.user_id, takenUntil }));
      }),

    done: async ({ threadId, takenUntil }) => {
      await database.write((trx) =>
        trx
          .deleteFrom('thread_removals')
          .where('thread_id', '=', threadId)
          .where('taken_until', '=', takenUntil)
          .execute(),
      );
    },
  };
}
