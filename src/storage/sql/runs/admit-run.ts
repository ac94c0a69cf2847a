// Admission: a new run enters its thread, and the runs before it make way if they must.
import { type Selectable, type SqlBool, sql } from 'kysely';
import { createBreath, LONG_CALL_MS } from '../../../breath.ts';
import { metadataProblem } from '../../../messages/bounded-json.ts';
import type { NewRunEvent } from '../../run-events.ts';
import {
  type Admission,
  type AdmissionClaim,
  type AdmittedRun,
  type NewRun,
  NO_TOTALS,
  type RunCancel,
  type RunRecord,
} from '../../runs.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { parseJsonObject } from '../database/json-column.ts';
import { writableBy } from '../database/owner-filter.ts';
import type { ThreadsTable } from '../database/tables.ts';
import type { AppendRunEvents } from '../messages/append-run-events.ts';
import { replaceMetadata } from '../search/thread-metadata.ts';
import {
  type AdmissionFacts,
  createAdmissionFacts,
  DISPLACEMENTS,
  type EnteringRun,
  type FindAdmissionFacts,
} from './admission-facts.ts';
import { dropKey, findRunByKey, takeKey, takeOverKey } from './idempotency-keys.ts';
import { endWaiting, requestCancel } from './run-cancellation.ts';
import { numbersAfter } from './run-numbers.ts';
import type { RunQueues } from './run-queue.ts';
import { type RunRow, toRunRow } from './run-rows.ts';
import { insertDelivery } from './webhook-deliveries.ts';

/** See `RunRepository.admit`. The thread stays locked until the transaction ends. */
export type AdmitRun = (
  trx: WriteTransaction,
  run: NewRun,
  by: { readonly owner: Owner; readonly claim?: AdmissionClaim | undefined },
) => Promise<Admission>;

interface AdmissionParts {
  readonly database: Database;
  readonly appendRunEvents: AppendRunEvents;
  readonly queues: RunQueues;
}

interface Parts extends AdmissionParts {
  readonly findFacts: FindAdmissionFacts;
}

export function createAdmitRun(admissionParts: AdmissionParts): AdmitRun {
  const { database } = admissionParts;
  const parts = { ...admissionParts, findFacts: createAdmissionFacts(database) };
  return async (trx, run, { owner, claim }) => {
    const lock = database.name === 'postgres' ? LOCK_THREAD : FIND_THREAD;
    const [thread] = await database.run(trx, lock, { threadId: run.threadId, owner });
    if (thread === undefined) return { kind: 'no_thread' };
    const earlier = await runWithSameKey(trx, owner, run);
    if (earlier !== undefined) return { kind: 'repeated', run: earlier };
    const admission = await enter(parts, trx, { run, userId: thread.user_id, claim });
    if (admission.kind === 'admitted') await nameAgent(trx, thread, run.assistantId);
    else if (run.idempotencyKey !== undefined) await dropKey(trx, owner, run.idempotencyKey);
    return admission;
  };
}

/** Admits or refuses a run whose idempotency key no other run has. */
async function enter(parts: Parts, trx: WriteTransaction, entering: EnteringRun): Promise<Admission> {
  const { run } = entering;
  const found = await parts.findFacts(trx, entering);
  if (found.is_busy) return { kind: 'busy' };
  if (found.is_full) return { kind: 'too_many_waiting' };
  const displacement = DISPLACEMENTS[run.multitaskStrategy];
  if (displacement === undefined) {
    const inserted = await insertRun(parts, trx, { ...entering, found });
    return { kind: 'admitted', ...inserted, displaced: [], ended: [] };
  }
  const displaced = await displaceRuns(parts, trx, { run, displacement });
  // Another run may be first now, or none.
  const left = await parts.findFacts(trx, entering);
  const inserted = await insertRun(parts, trx, { ...entering, found: left });
  return { kind: 'admitted', ...inserted, ...displaced };
}

const FIND_THREAD = (queries: Connection, { threadId, owner }: { threadId: string; owner: Owner }) =>
  queries
    .selectFrom('threads')
    .select(['thread_id', 'user_id', 'metadata'])
    .where('thread_id', '=', threadId)
    .where(writableBy(owner, 'user_id'));

const LOCK_THREAD: typeof FIND_THREAD = (queries, values) => FIND_THREAD(queries, values).forUpdate();

/** Writes the agent's name to the metadata, where chat programs search for its threads. */
async function nameAgent(
  trx: WriteTransaction,
  thread: Pick<Selectable<ThreadsTable>, 'thread_id' | 'user_id' | 'metadata'>,
  assistantId: string,
): Promise<void> {
  const before = parseJsonObject(thread.metadata);
  if (before.graph_id === assistantId && before.assistant_id === assistantId) return;
  const metadata = { ...before, graph_id: assistantId, assistant_id: assistantId };
  // Full metadata stays as it is.
  if (metadataProblem(metadata) === undefined) await replaceMetadata(trx, thread, metadata);
}

/**
 * Returns the run that has this run's key; `undefined` when the key is this run's from now on, or there is
 * none.
 */
async function runWithSameKey(
  trx: WriteTransaction,
  owner: Owner,
  { runId, idempotencyKey: key, now }: NewRun,
): Promise<RunRecord | undefined> {
  if (key === undefined || (await takeKey(trx, owner, { key, runId, now }))) return undefined;
  const earlier = await findRunByKey(trx, owner, { key, now });
  if (earlier === undefined) await takeOverKey(trx, owner, { key, runId, now });
  return earlier;
}

async function displaceRuns(
  { database, queues }: Parts,
  trx: WriteTransaction,
  { run, displacement }: { readonly run: NewRun; readonly displacement: RunCancel },
): Promise<Pick<AdmittedRun, 'displaced' | 'ended'>> {
  const earlier = sql<SqlBool>`thread_id = ${run.threadId}`;
  const request = { ...displacement, now: run.now };
  const waiting = { ...request, threadId: run.threadId, runs: earlier };
  const ended = await endWaiting({ database, queues }, trx, waiting);
  return { displaced: await requestCancel(trx, earlier, request), ended };
}

interface InsertedRun extends EnteringRun {
  readonly found: AdmissionFacts;
}

async function insertRun(
  { database, appendRunEvents }: Parts,
  trx: WriteTransaction,
  { run, userId, claim, found }: InsertedRun,
): Promise<Pick<AdmittedRun, 'run' | 'claimed'>> {
  const accepted = acceptedRun({ run, userId, found });
  const claimed = claim !== undefined && found.is_claimable ? claimedRun(accepted, claim, found) : undefined;
  const breath = createBreath(LONG_CALL_MS);
  const kwargs = database.packed(JSON.stringify(run.kwargs));
  await breath();
  const queued = run.delayMs === undefined ? Number(!found.has_first) : null;
  await database.run(trx, INSERT_RUN, {
    ...toRunRow(claimed ?? accepted, kwargs),
    is_first: queued,
    frames_pruned: 0,
  });
  if (run.webhook !== undefined) await insertDelivery(trx, { ...run, userId }, run.webhook);
  const { threadId, runId, followUpToRunId } = accepted;
  const events = followUpToRunId === null ? run.events : withFollowUp(run.events, followUpToRunId);
  await appendRunEvents(trx, [{ threadId, runId, userId, events }]);
  await database.run(trx, MAKE_BUSY, { threadId, now: run.now });
  return { run: accepted, claimed };
}

function acceptedRun({ run, userId, found }: Omit<InsertedRun, 'claim'>): RunRecord {
  return {
    runId: run.runId,
    threadId: run.threadId,
    userId,
    assistantId: run.assistantId,
    status: 'pending',
    metadata: run.metadata,
    kwargs: run.kwargs,
    multitaskStrategy: run.multitaskStrategy,
    followUpToRunId: run.followUpToRunId ?? found.latest_success,
    attempt: 0,
    epochs: [],
    leaseOwner: null,
    baseCheckpointId: null,
    formerHead: undefined,
    startAfter: run.delayMs === undefined ? null : found.database_now + run.delayMs,
    cancel: null,
    stopReason: null,
    error: null,
    createdAt: momentAfter(found, run.now),
    updatedAt: run.now,
    startedAt: null,
    finishedAt: null,
    numbersFrom: null,
    totals: NO_TOTALS,
  };
}

/** Returns the run as a claim would have left it. */
function claimedRun(run: RunRecord, { workerId, epoch }: AdmissionClaim, found: AdmissionFacts): RunRecord {
  return {
    ...run,
    status: 'running',
    attempt: 1,
    epochs: [{ firstSeq: 1, name: epoch }],
    leaseOwner: workerId,
    startedAt: run.updatedAt,
    numbersFrom: numbersAfter(found.last_numbers ?? 0, run.updatedAt),
  };
}

const MAKE_BUSY = (queries: Connection, { threadId, now }: { threadId: string; now: number }) =>
  queries
    .updateTable('threads')
    .set({ status: 'busy', updated_at: now, state_updated_at: now })
    .where('thread_id', '=', threadId);

/**
 * Returns now, or a time after the previous run and its end, because runs of a thread queue by this time, and
 * a clock may be set back.
 */
function momentAfter({ created_at, finished_at }: AdmissionFacts, now: number): number {
  return created_at === null ? now : Math.max(now, created_at + 1, finished_at ?? 0);
}

const INSERT_RUN = (
  queries: Connection,
  values: RunRow & { readonly is_first: number | null; readonly frames_pruned: number },
) => queries.insertInto('runs').values(values);

function withFollowUp(events: readonly NewRunEvent[], runId: string): readonly NewRunEvent[] {
  return events.map((event) =>
    event.eventType === 'human_message'
      ? { ...event, metadata: { ...event.metadata, follow_up_to_run_id: runId } }
      : event,
  );
}
