// Admission: a new run enters its thread, and the runs before it make way if they must.
import { type Selectable, type SqlBool, sql } from 'kysely';
import { createBreath, LONG_CALL_MS } from '../../breath.ts';
import { metadataProblem } from '../../messages/bounded-json.ts';
import type { NewRunEvent } from '../run-events.ts';
import type { Admission, MultitaskStrategy, NewRun, RunCancel, RunRecord } from '../runs.ts';
import type { Owner } from '../storage.ts';
import { type AdmissionFacts, admissionFacts } from './admission-facts.ts';
import type { AppendRunEvents } from './append-run-events.ts';
import type { Connection, Database, WriteTransaction } from './database.ts';
import { dropKey, findRunByKey, takeKey, takeOverKey } from './idempotency-keys.ts';
import { parseJsonObject } from './json-column.ts';
import { writableBy } from './owner-filter.ts';
import { endWaiting, requestCancel } from './run-cancellation.ts';
import { RUN_FACTS, toRun, toRunWith } from './run-rows.ts';
import type { RunsTable } from './run-tables.ts';
import type { ThreadsTable } from './tables.ts';
import { replaceMetadata } from './thread-metadata.ts';
import { insertDelivery } from './webhook-deliveries.ts';

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
  const lock = database.name === 'postgres' ? LOCK_THREAD : FIND_THREAD;
  const [thread] = await database.run(trx, lock, { threadId: run.threadId, owner });
  if (thread === undefined) return { kind: 'no_thread' };
  const earlier = await runWithSameKey(trx, owner, run);
  if (earlier !== undefined) return { kind: 'repeated', run: earlier };
  const { user_id: userId } = thread;
  const makesWay = run.multitaskStrategy in DISPLACEMENTS;
  const found = await admissionFacts(trx, run, { userId, makesWay });
  if (found.isBusy) {
    if (run.idempotencyKey !== undefined) await dropKey(trx, owner, run.idempotencyKey);
    return { kind: 'busy' };
  }
  if (found.hasTooManyWaiting) {
    if (run.idempotencyKey !== undefined) await dropKey(trx, owner, run.idempotencyKey);
    return { kind: 'too_many_waiting' };
  }
  const displaced = await displaceRuns(database, trx, run);
  await nameAgent(trx, thread, run.assistantId);
  return { kind: 'admitted', run: await insertRun(parts, trx, { run, userId, found }), displaced };
}

const FIND_THREAD = (queries: Connection, { threadId, owner }: { threadId: string; owner: Owner }) =>
  queries
    .selectFrom('threads')
    .select(['thread_id', 'user_id', 'metadata'])
    .where('thread_id', '=', threadId)
    .where(writableBy(owner, 'user_id'));

const LOCK_THREAD: typeof FIND_THREAD = (queries, values) => FIND_THREAD(queries, values).forUpdate();

/** Chat programs look for the threads of an agent by its name in their metadata. */
async function nameAgent(
  trx: WriteTransaction,
  thread: Pick<Selectable<ThreadsTable>, 'thread_id' | 'user_id' | 'metadata'>,
  assistantId: string,
): Promise<void> {
  const before = parseJsonObject(thread.metadata);
  if (before.graph_id === assistantId && before.assistant_id === assistantId) return;
  const metadata = { ...before, graph_id: assistantId, assistant_id: assistantId };
  // Metadata that is full stays as it is.
  if (metadataProblem(metadata) === undefined) await replaceMetadata(trx, thread, metadata);
}

/** The run that has this run's key; `undefined` when the key is this run's from now on, or there is none. */
async function runWithSameKey(
  trx: WriteTransaction,
  owner: Owner,
  { runId, idempotencyKey: key, now }: NewRun,
): Promise<RunRecord | undefined> {
  if (key === undefined || (await takeKey(trx, owner, { key, runId, now }))) return undefined;
  const row = await findRunByKey(trx, owner, { key, now });
  if (row !== undefined) return toRun(row);
  await takeOverKey(trx, owner, { key, runId, now });
  return undefined;
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

interface InsertedRun {
  readonly run: NewRun;
  readonly userId: string | null;
  readonly found: AdmissionFacts;
}

async function insertRun(
  { database, appendRunEvents }: AdmissionParts,
  trx: WriteTransaction,
  { run, userId, found }: InsertedRun,
): Promise<RunRecord> {
  const followUpTo = run.followUpToRunId ?? found.latestSuccess;
  const createdAt = momentAfter(found.latest, run.now);
  const breath = createBreath(LONG_CALL_MS);
  const kwargs = database.packed(JSON.stringify(run.kwargs));
  await breath();
  const [row] = await database.run(trx, INSERT_RUN, {
    run_id: run.runId,
    thread_id: run.threadId,
    user_id: userId,
    assistant_id: run.assistantId,
    metadata: JSON.stringify(run.metadata),
    kwargs,
    multitask_strategy: run.multitaskStrategy,
    follow_up_to_run_id: followUpTo,
    start_after: run.startAfter ?? null,
    created_at: createdAt,
    updated_at: run.now,
  });
  if (row === undefined) throw new Error('an insert returned no row');
  if (run.webhook !== undefined) await insertDelivery(trx, { ...run, url: run.webhook, userId });
  const events = followUpTo === null ? run.events : withFollowUp(run.events, followUpTo);
  await appendRunEvents(trx, [{ threadId: run.threadId, runId: run.runId, userId, events }]);
  await database.run(trx, MAKE_BUSY, { threadId: run.threadId, now: run.now });
  return toRunWith(row, run.kwargs);
}

const MAKE_BUSY = (queries: Connection, { threadId, now }: { threadId: string; now: number }) =>
  queries
    .updateTable('threads')
    .set({ status: 'busy', updated_at: now, state_updated_at: now })
    .where('thread_id', '=', threadId);

/** Now, or just after the run before it and its end: runs of a thread stand in line by this, and a clock may go back. */
function momentAfter(before: AdmissionFacts['latest'], now: number): number {
  return before === undefined ? now : Math.max(now, before.createdAt + 1, before.finishedAt);
}

type InsertedValues = Pick<
  Selectable<RunsTable>,
  | 'run_id'
  | 'thread_id'
  | 'user_id'
  | 'assistant_id'
  | 'metadata'
  | 'kwargs'
  | 'multitask_strategy'
  | 'follow_up_to_run_id'
  | 'start_after'
  | 'created_at'
  | 'updated_at'
>;

/** All values but the constants, by column. */
const INSERT_RUN = (queries: Connection, values: InsertedValues) =>
  queries
    .insertInto('runs')
    .values({
      ...values,
      status: 'pending',
      attempt: 0,
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
    .returning(RUN_FACTS);

function withFollowUp(events: readonly NewRunEvent[], runId: string): readonly NewRunEvent[] {
  return events.map((event) =>
    event.eventType === 'human_message'
      ? { ...event, metadata: { ...event.metadata, follow_up_to_run_id: runId } }
      : event,
  );
}
