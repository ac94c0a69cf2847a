// Removes run events of categories with limited retention, in SQL.
import { type SqlBool, sql } from 'kysely';
import type { EventRetention, RunEventCategory } from '../../run-events.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { RunsTable } from '../database/run-tables.ts';

export function createEventRetention(database: Database): EventRetention {
  return {
    removeNext: async ({ kind, categories, endedBefore, limit }) => {
      const runs = await database.write(async (trx) => {
        const ended = await endedRuns(database, trx, { kind, endedBefore, limit });
        // Locks the threads as writers do and in their order, because a new event may start to use a content
        // that is removed here.
        const threadIds = [...new Set(ended.map((run) => run.thread_id))];
        const threads = trx.selectFrom('threads').select('thread_id').where('thread_id', 'in', threadIds);
        if (threadIds.length > 0) await database.locked(threads.orderBy('thread_id')).execute();
        for (const run of ended) await removeEvents(trx, run, categories);
        const last = ended.at(-1);
        if (last?.finished_at != null) {
          const position = { finished_at: last.finished_at, run_id: last.run_id };
          await trx.updateTable('event_retention').set(position).where('kind', '=', kind).execute();
        }
        return ended.length;
      });
      if (runs > 0) await database.reclaimSpace();
      return runs;
    },
  };
}

type EndedRun = Pick<RunsTable, 'run_id' | 'thread_id' | 'finished_at'>;
type Step = Parameters<EventRetention['removeNext']>[0];

/** Returns the next ended runs, ordered by their end. The position stays locked. */
async function endedRuns(
  database: Database,
  trx: WriteTransaction,
  { kind, endedBefore, limit }: Omit<Step, 'categories'>,
): Promise<readonly EndedRun[]> {
  const start = { kind, finished_at: -1, run_id: '' };
  await trx
    .insertInto('event_retention')
    .values(start)
    .onConflict((conflict) => conflict.column('kind').doNothing())
    .execute();
  const known = trx.selectFrom('event_retention').selectAll().where('kind', '=', kind);
  const position = await database.locked(known).executeTakeFirstOrThrow();
  return trx
    .selectFrom('runs')
    .select(['run_id', 'thread_id', 'finished_at'])
    .where(sql<SqlBool>`finished_at is not null`)
    .where(sql<SqlBool>`(finished_at, run_id) > (${position.finished_at}, ${position.run_id})`)
    .where('finished_at', '<', endedBefore)
    .orderBy('finished_at')
    .orderBy('run_id')
    .limit(limit)
    .execute();
}

/** Removes the events, and the shared contents that no event uses any more. */
async function removeEvents(
  trx: WriteTransaction,
  { run_id: runId, thread_id: threadId }: EndedRun,
  categories: readonly RunEventCategory[],
): Promise<void> {
  const events = trx.deleteFrom('run_events').where('run_id', '=', runId).where('category', 'in', categories);
  const removed = await events.where('thread_id', '=', threadId).returning('content_key').execute();
  const keys = [...new Set(removed.flatMap((row) => row.content_key ?? []))];
  if (keys.length === 0) return;
  const needed = trx
    .selectFrom('run_events')
    .select('content_key')
    .where('thread_id', '=', threadId)
    .where('content_key', 'in', keys);
  const still = new Set((await needed.execute()).map((row) => row.content_key));
  const unneeded = keys.filter((key) => !still.has(key));
  if (unneeded.length === 0) return;
  const contents = trx.deleteFrom('trace_contents').where('thread_id', '=', threadId);
  await contents.where('content_key', 'in', unneeded).execute();
}
