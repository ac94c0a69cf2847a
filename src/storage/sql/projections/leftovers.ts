// Finds rows that outlived the rows to which they belong.
import { type SqlBool, sql } from 'kysely';
import { allRows } from '../database/all-rows.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { Finding, ThreadProjection } from './projection.ts';

/** Within a thread: events of deleted runs, and trace contents that no event uses. */
export const leftoversOfThread: ThreadProjection = {
  name: 'leftovers',
  async *check({ trx, row }) {
    for (const { table, of, where } of OF_THREAD) {
      const left = sql`from ${sql.table(table)} where thread_id = ${row.thread_id} and ${where}`;
      const { rows } = await sql<{ rows: number }>`select count(*) as rows ${left}`.execute(trx);
      const count = rows[0]?.rows ?? 0;
      if (count > 0) yield gone(`${table} of ${of}`, count, () => sql`delete ${left}`.execute(trx));
    }
  },
};

const OF_NO_RUN = sql<SqlBool>`not exists (select 1 from runs where runs.run_id = run_events.run_id)`;

const OF_NO_EVENT = sql<SqlBool>`not exists (
  select 1 from run_events where run_events.thread_id = trace_contents.thread_id
    and run_events.content_key = trace_contents.content_key
)`;

const OF_THREAD = [
  { table: 'run_events', of: 'no run', where: OF_NO_RUN },
  { table: 'trace_contents', of: 'no event', where: OF_NO_EVENT },
];

const ORPHANS_AT_ONCE = 100;

/** Yields threads that do not exist but still have checkpoints which no copy sees, in order. */
export function orphanedThreads(database: Database): AsyncGenerator<{ readonly thread_id: string }> {
  return allRows({ by: 'thread_id', after: '', atOnce: ORPHANS_AT_ONCE }, (after) =>
    database.read(async (db) => {
      const orphans = sql<{ thread_id: string }>`
        ${SEEN_BY_COPIES} select distinct thread_id from checkpoints
        where thread_id > ${after} and ${OF_NO_THREAD} order by thread_id limit ${ORPHANS_AT_ONCE}`;
      return (await orphans.execute(db)).rows;
    }),
  );
}

export async function* checkOrphan(trx: WriteTransaction, threadId: string): AsyncGenerator<Finding> {
  const { rows } = await sql<{ rows: number }>`
    ${SEEN_BY_COPIES} select count(*) as rows from checkpoints
    where checkpoints.thread_id = ${threadId} and ${OF_NO_THREAD}`.execute(trx);
  const count = rows[0]?.rows ?? 0;
  if (count === 0) return;
  yield gone('checkpoints of no thread', count, () =>
    sql`${SEEN_BY_COPIES} delete from checkpoints
      where checkpoints.thread_id = ${threadId} and ${OF_NO_THREAD}`.execute(trx),
  );
}

const SEEN_BY_COPIES = sql`with recursive seen (checkpoint_id, parent_id) as (
  select last.checkpoint_id, last.parent_id
  from threads join checkpoints as last on last.checkpoint_id = threads.copied_from_checkpoint_id
  union
  select parent.checkpoint_id, parent.parent_id
  from seen join checkpoints as parent on parent.checkpoint_id = seen.parent_id
)`;

const OF_NO_THREAD = sql<SqlBool>`not exists (select 1 from threads where threads.thread_id = checkpoints.thread_id)
  and not exists (select 1 from seen where seen.checkpoint_id = checkpoints.checkpoint_id)`;

/** Reports removal notes of existing threads, whose files would otherwise be removed. */
export const removalNote: ThreadProjection = {
  name: 'removal notes',
  async *check({ trx, row }) {
    const { thread_id } = row;
    const note = trx.selectFrom('thread_removals').select('thread_id').where('thread_id', '=', thread_id);
    if ((await note.executeTakeFirst()) === undefined) return;
    yield gone('thread_removals of a thread that exists', 1, () =>
      trx.deleteFrom('thread_removals').where('thread_id', '=', thread_id).execute(),
    );
  },
};

function gone(what: string, rows: number, mend: Finding['mend']): Finding {
  return { what, stored: `${rows} ${rows === 1 ? 'row' : 'rows'}`, folded: 'none', mend };
}
