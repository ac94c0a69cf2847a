// What the service asks of threads, whosever they are: those that go with their run, and the newest of each user.

import { type SqlBool, sql } from 'kysely';
import type { TemporaryThreads, ThreadMarks } from '../../threads.ts';
import type { Connection, Database } from '../database/database.ts';
import { pagesOf } from '../database/page-of.ts';
import { allOf } from '../database/results.ts';
import { toThread } from './thread-rows.ts';

/** Threads that go with their run, in SQL. */
export function createTemporaryThreads(database: Database): TemporaryThreads {
  return {
    abandoned: ({ before, limit }) =>
      database.read((db) => {
        const abandoned = db
          .selectFrom('threads')
          .selectAll()
          .where('temporary', '=', 1)
          .where('updated_at', '<=', before)
          .where(HAS_NO_ACTIVE_RUN)
          .orderBy('updated_at')
          .orderBy('thread_id');
        return allOf(abandoned.limit(limit), toThread);
      }),
  };
}

const HAS_NO_ACTIVE_RUN = sql<SqlBool>`not exists (
  select 1 from runs where runs.thread_id = threads.thread_id and runs.status in ('pending', 'running'))`;

const MAX_USERS = 512;

/** The newest thread of each of many users, in SQL. */
export function createThreadMarks(database: Database): ThreadMarks {
  return {
    async newest(userIds) {
      const marks = new Map<string, string>();
      for (const some of pagesOf(userIds, MAX_USERS)) {
        for (const { user_id, mark } of await database.read((db) => findMarks(db, some))) {
          if (mark !== null) marks.set(user_id, mark);
        }
      }
      return marks;
    },
  };
}

/** Along the index of a user's threads, whose end is all that is read of it. */
async function findMarks(db: Connection, userIds: readonly string[]) {
  const { rows } = await sql<{ user_id: string; mark: string | null }>`
    with wanted (user_id) as (values ${sql.join(padded(userIds).map((id) => sql`(${id})`))})
    select wanted.user_id, (
      select threads.updated_at || ' ' || threads.status || ' ' || threads.thread_id from threads
      where threads.user_id = wanted.user_id
      order by threads.updated_at desc, threads.thread_id desc limit 1
    ) as mark from wanted`.execute(db);
  return rows;
}

/** To a power of two, so that there are few texts of this statement to prepare. */
function padded(ids: readonly string[]): readonly string[] {
  const size = 2 ** Math.ceil(Math.log2(ids.length));
  return [...ids, ...Array<string>(size - ids.length).fill(ids.at(-1) ?? '')];
}
