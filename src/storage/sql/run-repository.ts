// Runs of one owner, in SQL: admission and reading.
import { sql } from 'kysely';
import type { NewRunEvent } from '../run-events.ts';
import type { NewRun, RunRepository } from '../runs.ts';
import type { Owner } from '../storage.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import type { Connection, Database, WriteTransaction } from './database.ts';
import { readableBy, writableBy } from './owner-filter.ts';
import { toRun } from './run-rows.ts';

export function createRunRepository(
  database: Database,
  appendRunEvents: AppendRunEvents,
  owner: Owner,
): RunRepository {
  return {
    admit: (run) =>
      database.write(async (trx) => {
        const thread = trx.selectFrom('threads').select('user_id').where('thread_id', '=', run.threadId);
        const found = await database.locked(thread).where(writableBy(owner, 'user_id')).executeTakeFirst();
        if (found === undefined) return 'no_thread';
        if (run.multitaskStrategy === 'reject' && (await hasActiveRun(trx, run.threadId))) return 'busy';
        const userId = found.user_id;
        const followUpTo = run.followUpToRunId ?? (await latestSuccess(trx, run.threadId));
        const row = await insertPending(trx, run, { userId, followUpTo });
        const events = followUpTo === null ? run.events : withFollowUp(run.events, followUpTo);
        await appendRunEvents(trx, [{ threadId: run.threadId, runId: run.runId, userId, events }]);
        await trx
          .updateTable('threads')
          .set({ status: 'busy', updated_at: run.now })
          .where('thread_id', '=', run.threadId)
          .execute();
        return toRun(row);
      }),

    get: (runId) =>
      database.read(async (db) => {
        const row = await visibleRuns(db, owner).where('runs.run_id', '=', runId).executeTakeFirst();
        return row && toRun(row);
      }),

    cancelPending: (runId, now) =>
      database.write(async (trx) => {
        const found = await trx
          .selectFrom('runs')
          .select('thread_id')
          .where('run_id', '=', runId)
          .executeTakeFirst();
        if (found === undefined) return false;
        // The thread first, like every other writer.
        const thread = trx.selectFrom('threads').select('thread_id').where('thread_id', '=', found.thread_id);
        const mine = await database.locked(thread).where(writableBy(owner, 'user_id')).executeTakeFirst();
        return mine !== undefined && interruptPending(trx, { runId, threadId: mine.thread_id, now });
      }),

    list: (threadId, query) =>
      database.read(async (db) => {
        let runs = visibleRuns(db, owner).where('runs.thread_id', '=', threadId);
        if (query.status !== undefined) runs = runs.where('runs.status', '=', query.status);
        const page = runs.limit(query.limit).offset(query.offset);
        const newestFirst = page.orderBy('runs.created_at', 'desc').orderBy('runs.run_id', 'desc');
        return (await newestFirst.execute()).map(toRun);
      }),
  };
}

/** Whether a pending or running run of the thread exists. Literals, so that the partial index is used. */
export async function hasActiveRun(db: Connection, threadId: string): Promise<boolean> {
  const query = db.selectFrom('runs').select('run_id').where('thread_id', '=', threadId);
  const active = query.where(sql<boolean>`status in ('pending', 'running')`).limit(1);
  return (await active.executeTakeFirst()) !== undefined;
}

/** The thread stays busy while another of its runs is active. */
async function interruptPending(
  trx: WriteTransaction,
  run: { readonly runId: string; readonly threadId: string; readonly now: number },
): Promise<boolean> {
  const ended = await trx
    .updateTable('runs')
    .set({
      status: 'interrupted',
      stop_reason: 'interrupted_by_user',
      finished_at: run.now,
      updated_at: run.now,
    })
    .where('run_id', '=', run.runId)
    .where('status', '=', 'pending')
    .returning('run_id')
    .executeTakeFirst();
  if (ended === undefined) return false;
  const status = (await hasActiveRun(trx, run.threadId)) ? 'busy' : 'interrupted';
  const threads = trx.updateTable('threads').set({ status, updated_at: run.now });
  await threads.where('thread_id', '=', run.threadId).execute();
  return true;
}

function visibleRuns(db: Connection, owner: Owner) {
  return db
    .selectFrom('runs')
    .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
    .selectAll('runs')
    .where(readableBy(owner, 'threads.user_id'))
    .where(readableBy(owner, 'runs.user_id'));
}

async function latestSuccess(trx: WriteTransaction, threadId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('runs')
    .select('run_id')
    .where('thread_id', '=', threadId)
    .where('status', '=', 'success')
    .orderBy('created_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.run_id ?? null;
}

function insertPending(
  trx: WriteTransaction,
  run: NewRun,
  decided: { readonly userId: string | null; readonly followUpTo: string | null },
) {
  return trx
    .insertInto('runs')
    .values({
      run_id: run.runId,
      thread_id: run.threadId,
      user_id: decided.userId,
      assistant_id: run.assistantId,
      status: 'pending',
      metadata: JSON.stringify(run.metadata),
      kwargs: JSON.stringify(run.kwargs),
      multitask_strategy: run.multitaskStrategy,
      follow_up_to_run_id: decided.followUpTo,
      attempt: 0,
      created_at: run.now,
      updated_at: run.now,
      total_input_tokens: 0,
      total_output_tokens: 0,
      total_tokens: 0,
      llm_call_count: 0,
      lead_agent_tokens: 0,
      subagent_tokens: 0,
      middleware_tokens: 0,
      message_count: 0,
      token_usage_by_model: '{}',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function withFollowUp(events: readonly NewRunEvent[], runId: string): readonly NewRunEvent[] {
  return events.map((event) =>
    event.eventType === 'human_message'
      ? { ...event, metadata: { ...event.metadata, follow_up_to_run_id: runId } }
      : event,
  );
}
