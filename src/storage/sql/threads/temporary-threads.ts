// Threads that go with their run, in SQL.
import type { TemporaryThreads } from '../../temporary-threads.ts';
import type { Database } from '../database/database.ts';
import { toThread } from './thread-rows.ts';

export function createTemporaryThreads(database: Database): TemporaryThreads {
  return {
    abandoned: ({ before, limit }) =>
      database.read(async (db) => {
        const rows = await db
          .selectFrom('threads')
          .selectAll()
          .where('temporary', '=', 1)
          .where('updated_at', '<=', before)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('runs')
                  .select('run_id')
                  .whereRef('runs.thread_id', '=', 'threads.thread_id')
                  .where('status', 'in', ['pending', 'running']),
              ),
            ),
          )
          .orderBy('updated_at')
          .orderBy('thread_id')
          .limit(limit)
          .execute();
        return rows.map(toThread);
      }),
  };
}
