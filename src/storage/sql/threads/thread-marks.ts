// The newest thread of each of many users, in SQL.
import { sql } from 'kysely';
import type { ThreadMarks } from '../../thread-marks.ts';
import type { Connection, Database } from '../database/database.ts';

const MAX_USERS = 512;

export function createThreadMarks(database: Database): ThreadMarks {
  return {
    async newest(userIds) {
      const marks = new Map<string, string>();
      for (let start = 0; start < userIds.length; start += MAX_USERS) {
        const some = userIds.slice(start, start + MAX_USERS);
        for (const { user_id, mark } of await database.read((db) => findMarks(db, some))) {
          if (mark !== null) marks.set(user_id, mark);
        }
      }
      return marks;
    },
  };
}

interface MarkRow {
  readonly user_id: string;
  readonly mark: string | null;
}

/** Along the index of a user's threads, whose end is all that is read of it. */
async function findMarks(db: Connection, userIds: readonly string[]): Promise<readonly MarkRow[]> {
  const { rows } = await sql<MarkRow>`
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
