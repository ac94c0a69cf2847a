// The notes that deletions leave, in SQL.
import { conflict } from '../../../errors.ts';
import type { ThreadRemovals } from '../../thread-removals.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { deletedOwner } from '../database/hidden-owner.ts';
import { orphanTasks } from '../runs/background-tasks.ts';
import { NOTHING_HANDED_OVER } from './thread-copies.ts';
import { removePage } from './thread-removal-pages.ts';

export function createThreadRemovals(database: Database): ThreadRemovals {
  return {
    take: async ({ now, takenUntil, limit }) => {
      const dueIn = (db: Connection) => {
        const due = db.selectFrom('thread_removals').select('thread_id').where('taken_until', '<=', now);
        return due.orderBy('taken_until').orderBy('thread_id').limit(limit);
      };
      // Most looks find nothing, and need no transaction.
      if ((await database.read((db) => dueIn(db).execute())).length === 0) return [];
      return database.write(async (trx) => {
        const rows = await database.locked(dueIn(trx)).execute();
        if (rows.length === 0) return [];
        const ids = rows.map((row) => row.thread_id);
        const taken = await trx
          .updateTable('thread_removals')
          .set({ taken_until: takenUntil })
          .where('thread_id', 'in', ids)
          .returning(['thread_id', 'user_id'])
          .execute();
        return taken.map((row) => ({ threadId: row.thread_id, userId: row.user_id, takenUntil }));
      });
    },

    async *removeRows(removal, takenUntil) {
      let held = removal;
      let handedOver = NOTHING_HANDED_OVER;
      for (;;) {
        const until = takenUntil();
        const asked = { removal: held, takenUntil: until, handedOver };
        const page = await database.write((trx) => removePage(database, trx, asked));
        if (page.left === 'lost') throw conflict('The deletion is finished elsewhere.');
        held = { ...held, takenUntil: until };
        handedOver = page.handedOver;
        if (page.left === 'none') await database.reclaimSpace();
        yield { removal: held, runIds: page.runIds, checkpointIds: page.checkpointIds };
        if (page.left === 'none') return;
      }
    },

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

/** Makes the thread an absent row for everybody. What is found by more than its row goes at once: that is little. */
export async function hideThread(trx: WriteTransaction, threadId: string): Promise<void> {
  await trx.deleteFrom('thread_metadata').where('thread_id', '=', threadId).execute();
  await trx.deleteFrom('search_backlog').where('thread_id', '=', threadId).execute();
  await orphanTasks(trx, threadId);
  await trx
    .updateTable('threads')
    .set({ user_id: deletedOwner(threadId), temporary: 0, line_move: null, line_moved: 0 })
    .where('thread_id', '=', threadId)
    .execute();
}
