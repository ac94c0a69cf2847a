// Ends runs that no worker has started, requests the end of the others, and sets the status of their thread.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunCancel, RunRecord, RunStatus } from '../../runs.ts';
import type { ThreadStatus } from '../../threads.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { allOf, isAny } from '../database/results.ts';
import { endedAt, numbersFrom } from './run-numbers.ts';
import type { RunQueues } from './run-queue.ts';
import { toRun } from './run-rows.ts';

/** Runs that wait or are executed. Literals, so that the partial indexes are used. */
export const ACTIVE = sql<SqlBool>`status in ('pending', 'running')`;

type Request = RunCancel & { readonly now: number };

/** Whether a pending or running run of the thread exists. */
export function hasActiveRun(db: Connection, threadId: string): Promise<boolean> {
  const runs = db.selectFrom('runs').select('run_id').where('thread_id', '=', threadId);
  return isAny(runs.where(ACTIVE).limit(1));
}

/**
 * Ends those of the runs of the thread that were never started, and returns their ids. The caller has locked
 * the thread.
 */
export async function endWaiting(
  { database, queues }: { readonly database: Database; readonly queues: RunQueues },
  trx: WriteTransaction,
  { threadId, runs, stopReason, now }: Request & { threadId: string; runs: RawBuilder<SqlBool> },
): Promise<readonly string[]> {
  const active = trx.selectFrom('runs').select('run_id').where('thread_id', '=', threadId).where(ACTIVE);
  // The lock puts the numbers of a run that is being claimed either before those of these runs, or after
  // them.
  if (database.name === 'postgres') await database.locked(active.orderBy('run_id')).execute();
  const waiting = sql<{ waiting_id: string; place: number }>`(
    select run_id as waiting_id, row_number() over (order by created_at, run_id) as place from runs
    where ${runs} and status = 'pending' and started_at is null
  )`.as('waiting');
  const ended = trx
    .updateTable('runs')
    .from(waiting)
    .whereRef('runs.run_id', '=', 'waiting.waiting_id')
    .set({
      status: 'interrupted',
      stop_reason: stopReason,
      finished_at: endedAt(sql`cast(${now} as bigint)`),
      updated_at: now,
      numbers_from: numbersFrom(now, sql.ref('waiting.place')),
      frames_pruned: 1,
      is_first: null,
    })
    .returning('runs.run_id');
  const ids = await allOf(ended, (row) => row.run_id);
  if (ids.length > 0) await queues.advance(trx, [threadId]);
  return ids;
}

/**
 * Records the request for the runs that have not ended and have none. Returns all runs that have not ended,
 * as they are now.
 */
export function requestCancel(
  trx: WriteTransaction,
  runs: RawBuilder<SqlBool>,
  { action, stopReason, now }: Request,
): Promise<readonly RunRecord[]> {
  const asked = trx
    .updateTable('runs')
    .set((eb) => ({
      cancel_action: eb.fn.coalesce('cancel_action', eb.val(action)),
      cancel_stop_reason: eb.fn.coalesce('cancel_stop_reason', eb.val(stopReason)),
      updated_at: now,
    }))
    .where(runs)
    .where(ACTIVE);
  return allOf(asked.returningAll(), toRun);
}

/** Sets the status of the thread that follows from its runs. */
export async function settleThread(trx: WriteTransaction, threadId: string, now: number): Promise<void> {
  const status = (await hasActiveRun(trx, threadId)) ? 'busy' : statusAtRest(sql.ref('threads.thread_id'));
  const threads = trx.updateTable('threads').set({ status, updated_at: now });
  await threads.where('thread_id', '=', threadId).execute();
}

/**
 * Returns the status that the run that ended last gave the thread, as `statusAfter`. Ignores runs that were
 * rolled back or had nothing to do.
 */
export function statusAtRest(threadId: RawBuilder<unknown>): RawBuilder<ThreadStatus> {
  return sql<ThreadStatus>`coalesce((
    select case ended.status when 'success' then 'idle' when 'interrupted' then 'interrupted' else 'error' end
    from runs as ended
    where ended.thread_id = ${threadId} and ended.finished_at is not null
      and coalesce(ended.stop_reason, '') not in ('rolled_back', 'already_answered')
    order by ended.finished_at desc, ended.created_at desc, ended.run_id desc limit 1
  ), 'idle')`;
}

export function statusAfter(run: RunStatus): ThreadStatus {
  if (run === 'success') return 'idle';
  return run === 'interrupted' ? 'interrupted' : 'error';
}
