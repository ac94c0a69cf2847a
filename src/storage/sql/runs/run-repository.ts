// Runs of one owner, in SQL.
import { type SqlBool, sql } from 'kysely';
import { isTerminal, type RunRepository } from '../../runs.ts';
import type { Owner } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { readableBy, writableBy } from '../database/owner-filter.ts';
import { pageOf } from '../database/page-of.ts';
import { allOf, firstOf } from '../database/results.ts';
import type { AdmitRun } from './admit-run.ts';
import { findRunByKey } from './idempotency-keys.ts';
import { endWaiting, requestCancel, settleThread } from './run-cancellation.ts';
import type { RunQueues } from './run-queue.ts';
import { toRun } from './run-rows.ts';

interface RunRepositoryParts {
  readonly database: Database;
  readonly admitRun: AdmitRun;
  readonly queues: RunQueues;
  readonly owner: Owner;
}

export function createRunRepository(parts: RunRepositoryParts): RunRepository {
  const { database, admitRun, queues, owner } = parts;
  return {
    admit: (run, claim) => database.write((trx) => admitRun(trx, run, { owner, claim })),

    get: (runId) =>
      database.read((db) => firstOf(visibleRuns(db, owner).where('runs.run_id', '=', runId), toRun)),

    findByIdempotencyKey: (key, now) => database.read((db) => findRunByKey(db, owner, { key, now })),

    cancel: (runId, request) =>
      database.write(async (trx) => {
        const threadId = await lockThreadOf(parts, trx, runId);
        if (threadId === undefined) return 'absent';
        const run = sql<SqlBool>`run_id = ${runId}`;
        if ((await endWaiting({ database, queues }, trx, { ...request, threadId, runs: run })).length > 0) {
          await settleThread(trx, threadId, request.now);
          return 'ended';
        }
        if ((await requestCancel(trx, run, request)).length > 0) return 'requested';
        return (await lockedStatus(database, trx, runId)) === undefined ? 'absent' : 'over';
      }),

    delete: async (runId) => {
      const result = await database.write(async (trx) => {
        const threadId = await lockThreadOf(parts, trx, runId);
        if (threadId === undefined) return 'absent';
        const status = await lockedStatus(database, trx, runId);
        if (status === undefined) return 'absent';
        if (!isTerminal(status)) return 'active';
        await deleteRun(trx, threadId, runId);
        return 'deleted';
      });
      if (result === 'deleted') await database.reclaimSpace();
      return result;
    },

    list: (threadId, query) =>
      database.read((db) => {
        let runs = visibleRuns(db, owner).where('runs.thread_id', '=', threadId);
        if (query.status !== undefined) runs = runs.where('runs.status', '=', query.status);
        const newestFirst = runs.orderBy('runs.created_at', 'desc').orderBy('runs.run_id', 'desc');
        return allOf(newestFirst.modifyEnd(pageOf(query)), toRun);
      }),
  };
}

function visibleRuns(db: Connection, owner: Owner) {
  return db
    .selectFrom('runs')
    .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
    .selectAll('runs')
    .where(readableBy(owner, 'threads.user_id'))
    .where(readableBy(owner, 'runs.user_id'));
}

/** Locks the run's thread, which every writer locks before the run; `undefined` when it is not the owner's. */
export async function lockThreadOf(
  { database, owner }: Pick<RunRepositoryParts, 'database' | 'owner'>,
  trx: WriteTransaction,
  runId: string,
): Promise<string | undefined> {
  const query = trx.selectFrom('runs').select('thread_id').where('run_id', '=', runId);
  const run = await query.executeTakeFirst();
  if (run === undefined) return undefined;
  const thread = trx.selectFrom('threads').select('thread_id').where('thread_id', '=', run.thread_id);
  const mine = await database.locked(thread).where(writableBy(owner, 'user_id')).executeTakeFirst();
  return mine?.thread_id;
}

async function lockedStatus(database: Database, trx: WriteTransaction, runId: string) {
  const query = trx.selectFrom('runs').select('status').where('run_id', '=', runId);
  return (await database.locked(query).executeTakeFirst())?.status;
}

/** Frames and idempotency key go with the run: their foreign keys cascade. */
async function deleteRun(trx: WriteTransaction, threadId: string, runId: string): Promise<void> {
  const events = trx.deleteFrom('run_events').where('run_id', '=', runId).where('thread_id', '=', threadId);
  const keys = (await events.returning('content_key').execute()).flatMap((row) => row.content_key ?? []);
  await trx.deleteFrom('runs').where('run_id', '=', runId).execute();
  if (keys.length === 0) return;
  await trx
    .deleteFrom('trace_contents')
    .where('thread_id', '=', threadId)
    .where('content_key', 'not in', (eb) =>
      eb
        .selectFrom('run_events')
        .select('run_events.content_key')
        .$narrowType<{ content_key: string }>()
        .where('run_events.thread_id', '=', threadId)
        .where('run_events.content_key', 'is not', null),
    )
    .execute();
}
