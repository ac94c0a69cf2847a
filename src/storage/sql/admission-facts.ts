// What a new run finds, asked in one statement: every admission pays for each of its own.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { NewRun } from '../runs.ts';
import type { WriteTransaction } from './database.ts';
import { ACTIVE } from './run-cancellation.ts';

export interface AdmissionFacts {
  /** The thread has a run that waits or is executed; not looked for unless the run is refused then. */
  readonly isBusy: boolean;
  /** The user has as many waiting runs as may wait, without those that make way. */
  readonly hasTooManyWaiting: boolean;
  /** The latest run of the thread. */
  readonly latest: { readonly createdAt: number; readonly finishedAt: number } | undefined;
  /** The latest that succeeded. */
  readonly latestSuccess: string | null;
}

interface FactsRow {
  readonly is_busy: number | boolean;
  readonly is_full: number | boolean;
  readonly created_at: number | null;
  readonly finished_at: number | null;
  readonly latest_success: string | null;
}

/** For a run whose thread, of this user, is locked. `makesWay`: waiting runs of the thread do not count. */
export async function admissionFacts(
  trx: WriteTransaction,
  run: NewRun,
  { userId, makesWay }: { readonly userId: string | null; readonly makesWay: boolean },
): Promise<AdmissionFacts> {
  const { threadId, multitaskStrategy } = run;
  const active = sql<SqlBool>`exists (select 1 from runs where thread_id = ${threadId} and ${ACTIVE})`;
  const { rows } = await sql<FactsRow>`
    select ${multitaskStrategy === 'reject' ? active : NO} as is_busy,
      ${tooManyWaiting(run, { userId, makesWay })} as is_full,
      latest.created_at, latest.finished_at, (
        select run_id from runs where thread_id = ${threadId} and status = 'success'
        order by created_at desc, run_id desc limit 1
      ) as latest_success
    from (select 1 as place) as always left join (
      select created_at, finished_at from runs where thread_id = ${threadId} order by created_at desc limit 1
    ) as latest on 1 = 1
  `.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error('a statement without a condition found nothing');
  const { is_busy, is_full, created_at: createdAt, finished_at, latest_success: latestSuccess } = row;
  return {
    isBusy: Boolean(is_busy),
    hasTooManyWaiting: Boolean(is_full),
    latest: createdAt === null ? undefined : { createdAt, finishedAt: finished_at ?? 0 },
    latestSuccess,
  };
}

const NO = sql<SqlBool>`1 = 0`;

/** Runs that enter threads of one user at the same moment may each see room for one. */
function tooManyWaiting(
  { maxWaiting, threadId }: NewRun,
  { userId, makesWay }: { readonly userId: string | null; readonly makesWay: boolean },
): RawBuilder<SqlBool> {
  if (maxWaiting === undefined) return NO;
  const own = userId === null ? sql`user_id is null` : sql`user_id = ${userId}`;
  const staying = makesWay ? sql` and thread_id <> ${threadId}` : sql``;
  return sql<SqlBool>`exists (
    select 1 from runs where status = 'pending' and ${own}${staying} limit 1 offset ${maxWaiting - 1}
  )`;
}
