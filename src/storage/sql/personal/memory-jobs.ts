// Messages from which facts are still to be extracted, in SQL.
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { MemoryJob, MemoryJobs, NewMemoryJob } from '../../memories.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { parseStrings } from '../database/json-column.ts';
import { isOwned } from '../database/owner-filter.ts';
import { plainColumns } from '../database/plain-columns.ts';
import { apply, isAny } from '../database/results.ts';
import type { MemoryJobsTable } from '../database/tables.ts';
import { saveMemory } from './memory-repository.ts';

/** Most messages of a job. Beyond it, the oldest are dropped. */
const MOST_QUESTIONS = 20;
/** At this number, a further message does not postpone the job. */
const ENOUGH_QUESTIONS = 10;

export function createMemoryJobs(database: Database): MemoryJobs {
  return {
    add: (job) => database.write((trx) => addJob(database, trx, job)),

    claim: async (claim) => {
      // Most passes find nothing and need no transaction.
      const due = await database.read((db) => dueJobs(db, claim));
      return due.length === 0 ? [] : database.write((trx) => claimJobs(trx, due, claim));
    },

    nextDueAt: () =>
      database.read(async (db) => {
        const { rows } = await sql<{ next_at: number | null }>`
          select min(case when due_at > leased_until then due_at else leased_until end) as next_at
          from memory_jobs`.execute(db);
        return rows[0]?.next_at ?? undefined;
      }),

    finish: (job, change, limits) =>
      database.write(async (trx) => {
        const row = await currentJob(database, trx, job);
        if (row?.attempts !== job.attempt) return 'lost';
        const { userId } = job;
        const saved = change && (await saveMemory(database, trx, { userId, change, limits }));
        if (saved === 'stale') return 'stale';
        await settle(trx, job, row);
        return 'done';
      }),

    giveBack: (job, dueAt, { spent }) =>
      database.write((trx) => {
        const attempts = spent ? job.attempt : job.attempt - 1;
        return updateJob(trx, job, { due_at: dueAt, leased_until: 0, attempts });
      }),

    freeAll: () =>
      database.write((trx) =>
        apply(trx.updateTable('memory_jobs').set({ leased_until: 0 }).where('leased_until', '>', 0)),
      ),
  };
}

async function addJob(database: Database, trx: WriteTransaction, job: NewMemoryJob): Promise<void> {
  const { threadId, agent, userId, runId, question, dueAt } = job;
  const off = trx.selectFrom('memory_switches').select('user_id').where('user_id', '=', userId);
  const thread = trx.selectFrom('threads').select('thread_id').where('thread_id', '=', threadId);
  if ((await isAny(off)) || !(await isAny(thread.where('user_id', '=', userId)))) return;
  const before = await currentJob(database, trx, job);
  const known = before === undefined ? [] : parseStrings(before.questions);
  const questions = [...known.filter((id) => id !== question), question].slice(-MOST_QUESTIONS);
  const waiting = { run_id: runId, questions: JSON.stringify(questions) };
  const row = { thread_id: threadId, agent, user_id: userId, attempts: 0, leased_until: 0 };
  const due_at = known.length >= ENOUGH_QUESTIONS ? {} : { due_at: dueAt };
  await trx
    .insertInto('memory_jobs')
    .values({ ...row, ...waiting, due_at: dueAt })
    .onConflict((conflict) => conflict.columns(['thread_id', 'agent']).doUpdateSet({ ...waiting, ...due_at }))
    .execute();
}

type Claim = Parameters<MemoryJobs['claim']>[0];

function dueJobs(db: Connection, { now, limit }: Claim): Promise<readonly JobKey[]> {
  return db
    .selectFrom('memory_jobs')
    .innerJoin('threads', 'threads.thread_id', 'memory_jobs.thread_id')
    .select(['memory_jobs.thread_id as threadId', 'agent'])
    .where('due_at', '<=', now)
    .where('leased_until', '<=', now)
    .where(isOwned('threads.user_id'))
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

/** Claims the jobs. Of several processes that find the same job due, one gets it. */
async function claimJobs(
  trx: WriteTransaction,
  due: readonly JobKey[],
  { now, leaseUntil }: Claim,
): Promise<readonly MemoryJob[]> {
  const claimed: MemoryJob[] = [];
  for (const job of due) {
    const row = await trx
      .updateTable('memory_jobs')
      .set({ attempts: sql<number>`attempts + 1`, leased_until: leaseUntil })
      .where(isJob(job))
      .where('due_at', '<=', now)
      .where('leased_until', '<=', now)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) claimed.push(toJob(row));
  }
  return claimed;
}

/** Removes the processed messages. Messages added since the claim wait until they are due. */
async function settle(
  trx: WriteTransaction,
  job: MemoryJob,
  row: Selectable<MemoryJobsTable>,
): Promise<void> {
  const left = parseStrings(row.questions).filter((id) => !job.questions.includes(id));
  if (left.length > 0)
    await updateJob(trx, job, { questions: JSON.stringify(left), attempts: 0, leased_until: 0 });
  else await trx.deleteFrom('memory_jobs').where(isJob(job)).execute();
}

type JobKey = Pick<MemoryJob, 'threadId' | 'agent'>;

function currentJob(database: Database, trx: WriteTransaction, job: JobKey) {
  return database.locked(trx.selectFrom('memory_jobs').selectAll().where(isJob(job))).executeTakeFirst();
}

function isJob({ threadId, agent }: JobKey): RawBuilder<SqlBool> {
  return sql<SqlBool>`(thread_id = ${threadId} and agent = ${agent})`;
}

/** Updates the job. Does nothing when another process has claimed it since. */
function updateJob(
  trx: WriteTransaction,
  job: MemoryJob,
  row: Partial<Pick<MemoryJobsTable, 'questions' | 'due_at' | 'attempts' | 'leased_until'>>,
) {
  const own = trx.updateTable('memory_jobs').set(row).where(isJob(job));
  return apply(own.where('attempts', '=', job.attempt));
}

const PLAIN = plainColumns(['thread_id', 'agent', 'user_id', 'run_id']);

function toJob(row: Selectable<MemoryJobsTable>): MemoryJob {
  return { ...PLAIN.fieldsOf(row), questions: parseStrings(row.questions), attempt: row.attempts };
}
