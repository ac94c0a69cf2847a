// The queue of a thread: its runs that are executed or may be, one after another, oldest first.
import { type SqlBool, sql } from 'kysely';
import { createBulkChange } from '../database/bulk-statement.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { allOf } from '../database/results.ts';

/** Literals, so that the partial indexes are used. */
export const STARTABLE = sql<SqlBool>`status = 'pending' and is_first = 1`;
/** Startable runs of which there are few: an index has them alone. */
export const SET_APART = sql<SqlBool>`(cancel_stop_reason is not null or attempt > 0)`;

/** Written in a few milliseconds. */
const DUE_AT_ONCE = 500;

/**
 * A run may be taken up that is `pending` and first in the queue of its thread. `is_first` says which one that is: 1 for
 * the run that is executed or is the next, 0 for those behind it, null for those that are not in the queue. It changes
 * only while the thread is locked, but taking the first one up changes nothing of it, and locks no thread.
 */
export function createRunQueues(database: Database) {
  const { queries, clock } = database;
  const given = { name: 'given', columns: { id: 'text' } } as const;
  const advance = createBulkChange(
    queries,
    given,
    (threads) => sql<never>`
      with ${threads}
      update runs set is_first = 1 where run_id in (
        select (
          select run_id from runs as queued where queued.thread_id = given.id and queued.is_first = 0
          order by queued.created_at, queued.run_id limit 1
        ) from given
        where not exists (select 1 from runs as other where other.thread_id = given.id and other.is_first = 1)
      )`,
  );
  const step = createBulkChange(
    queries,
    given,
    (threads) => sql<never>`
      with ${threads}
      update runs set is_first = 0
      where status = 'pending' and is_first = 1 and started_at is null and thread_id in (select id from given)`,
  );
  const due = sql<SqlBool>`status = 'pending' and is_first is null and start_after <= ${clock}`;
  const FIND_DUE = (_: Connection, { limit }: { limit: number }) => sql<{ thread_id: string }>`
    select thread_id from runs where ${due} order by start_after limit ${limit}`;
  return {
    /** Where no run is first any more, the oldest of the queue is. The threads are locked. */
    advance: async (trx: WriteTransaction, threadIds: readonly string[]): Promise<void> => {
      await advance(trx, asRows(threadIds));
    },

    /**
     * Delayed runs that are due by now are in the queue of their thread, where they would be without a delay. Some of them
     * when there are many; a thread that somebody has locked is left for the next time.
     */
    async enterDue(trx: WriteTransaction): Promise<void> {
      const found = await database.run(trx, FIND_DUE, { limit: DUE_AT_ONCE });
      if (found.length === 0) return;
      const threadIds = await lockFree(database, trx, [...new Set(found.map((row) => row.thread_id))]);
      if (threadIds.length === 0) return;
      await sql`update runs set is_first = 0 where run_id in (
        select run_id from runs where ${due} and thread_id in (${sql.join(threadIds)})
        order by start_after limit ${DUE_AT_ONCE}
      )`.execute(trx);
      // The first may have to wait behind a run that came into the queue; one that has begun waits for nobody.
      // Waits for whoever is taking the first one up, and leaves it alone when that is done.
      await step(trx, asRows(threadIds));
      await advance(trx, asRows(threadIds));
    },
  };
}

export type RunQueues = ReturnType<typeof createRunQueues>;

function asRows(ids: readonly string[]) {
  return ids.map((id) => ({ id }));
}

/** Those of the threads that nobody else has locked; they are locked now. */
async function lockFree(
  database: Database,
  trx: WriteTransaction,
  threadIds: readonly string[],
): Promise<readonly string[]> {
  if (database.name === 'sqlite') return threadIds;
  const threads = trx.selectFrom('threads').select('thread_id').where('thread_id', 'in', threadIds);
  return allOf(threads.orderBy('thread_id').forUpdate().skipLocked(), (row) => row.thread_id);
}
