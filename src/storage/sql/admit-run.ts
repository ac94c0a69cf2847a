// Admission: a new run enters its thread, and the runs before it make way if they must.
import { type SqlBool, sql } from 'kysely';
import type { NewRunEvent } from '../run-events.ts';
import type { Admission, MultitaskStrategy, NewRun, RunCancel, RunRecord } from '../runs.ts';
import type { Owner } from '../storage.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import type { Database, WriteTransaction } from './database.ts';
import { dropKey, findRunByKey, takeKey } from './idempotency-keys.ts';
import { writableBy } from './owner-filter.ts';
import type { PackedText } from './packed-text.ts';
import { endWaiting, hasActiveRun, requestCancel } from './run-cancellation.ts';
import { toRun } from './run-rows.ts';

export interface AdmissionParts {
  readonly database: Database;
  readonly appendRunEvents: AppendRunEvents;
  readonly owner: Owner;
}

/** What becomes of the runs before a new one; with the other strategies they go on. */
const DISPLACEMENTS: { readonly [strategy in MultitaskStrategy]?: RunCancel } = {
  interrupt: { action: 'interrupt', stopReason: 'replaced' },
  rollback: { action: 'rollback', stopReason: 'rolled_back' },
};

/** See `RunRepository.admit`. The thread stays locked until the transaction ends. */
export async function admitRun(
  parts: AdmissionParts,
  trx: WriteTransaction,
  run: NewRun,
): Promise<Admission> {
  const { database, owner } = parts;
  const query = trx.selectFrom('threads').select('user_id').where('thread_id', '=', run.threadId);
  const thread = await database.locked(query).where(writableBy(owner, 'user_id')).executeTakeFirst();
  if (thread === undefined) return { kind: 'no_thread' };
  const earlier = await runWithSameKey(trx, owner, run);
  if (earlier !== undefined) return { kind: 'repeated', run: earlier };
  if (run.multitaskStrategy === 'reject' && (await hasActiveRun(trx, run.threadId))) {
    if (run.idempotencyKey !== undefined) await dropKey(trx, owner, run.idempotencyKey);
    return { kind: 'busy' };
  }
  if (await hasTooManyWaiting(trx, thread.user_id, run)) {
    if (run.idempotencyKey !== undefined) await dropKey(trx, owner, run.idempotencyKey);
    return { kind: 'too_many_waiting' };
  }
  const displaced = await displaceRuns(database, trx, run);
  return { kind: 'admitted', run: await insertRun(parts, trx, { run, userId: thread.user_id }), displaced };
}

/** Runs that enter threads of one user at the same moment may each see room for one. */
async function hasTooManyWaiting(
  trx: WriteTransaction,
  userId: string | null,
  { maxWaiting }: NewRun,
): Promise<boolean> {
  if (maxWaiting === undefined) return false;
  const waiting = trx.selectFrom('runs').select('run_id').where(sql<SqlBool>`status = 'pending'`);
  const own = userId === null ? waiting.where('user_id', 'is', null) : waiting.where('user_id', '=', userId);
  return (
    (await own
      .limit(1)
      .offset(maxWaiting - 1)
      .executeTakeFirst()) !== undefined
  );
}

/** The run that has this run's key; `undefined` when the key is this run's from now on, or there is none. */
async function runWithSameKey(
  trx: WriteTransaction,
  owner: Owner,
  { runId, idempotencyKey: key, now }: NewRun,
): Promise<RunRecord | undefined> {
  if (key === undefined || (await takeKey(trx, owner, { key, runId, now }))) return undefined;
  const row = await findRunByKey(trx, owner, { key, now });
  return row && toRun(row);
}

async function displaceRuns(
  database: Database,
  trx: WriteTransaction,
  run: NewRun,
): Promise<readonly RunRecord[]> {
  const displacement = DISPLACEMENTS[run.multitaskStrategy];
  if (displacement === undefined) return [];
  const earlier = sql<SqlBool>`thread_id = ${run.threadId}`;
  const request = { ...displacement, now: run.now };
  await endWaiting(database, trx, { ...request, threadId: run.threadId, runs: earlier });
  return requestCancel(trx, earlier, request);
}

async function insertRun(
  { database, appendRunEvents }: AdmissionParts,
  trx: WriteTransaction,
  { run, userId }: { readonly run: NewRun; readonly userId: string | null },
): Promise<RunRecord> {
  const followUpTo = run.followUpToRunId ?? (await latestSuccess(trx, run.threadId));
  const createdAt = await momentOf(trx, run);
  const row = await insertPending(trx, run, {
    userId,
    followUpTo,
    createdAt,
    kwargs: database.packed(JSON.stringify(run.kwargs)),
  });
  const events = followUpTo === null ? run.events : withFollowUp(run.events, followUpTo);
  await appendRunEvents(trx, [{ threadId: run.threadId, runId: run.runId, userId, events }]);
  await trx
    .updateTable('threads')
    .set({ status: 'busy', updated_at: run.now })
    .where('thread_id', '=', run.threadId)
    .execute();
  return toRun(row);
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

/** Now, or just after the run before it and its end: runs of a thread stand in line by this, and a clock may go back. */
async function momentOf(trx: WriteTransaction, { threadId, now }: NewRun): Promise<number> {
  const latest = await trx
    .selectFrom('runs')
    .select(['created_at', 'finished_at'])
    .where('thread_id', '=', threadId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest === undefined ? now : Math.max(now, latest.created_at + 1, latest.finished_at ?? 0);
}

function insertPending(
  trx: WriteTransaction,
  run: NewRun,
  decided: {
    readonly userId: string | null;
    readonly followUpTo: string | null;
    readonly createdAt: number;
    readonly kwargs: PackedText;
  },
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
      kwargs: decided.kwargs,
      multitask_strategy: run.multitaskStrategy,
      follow_up_to_run_id: decided.followUpTo,
      attempt: 0,
      start_after: run.startAfter ?? null,
      created_at: decided.createdAt,
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
      frames_pruned: 0,
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
