// Reads what an admission must know in one statement, because every admission pays for each statement.
import { sql } from 'kysely';
import type { AdmissionClaim, MultitaskStrategy, NewRun, RunCancel } from '../../runs.ts';
import { UNSCOPED } from '../../storage.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { workerLives } from '../log/workers.ts';
import { ACTIVE } from './run-cancellation.ts';

export interface AdmissionFacts {
  /** True when the thread has a waiting or running run. Read only if the new run would be refused then. */
  readonly is_busy: number | boolean;
  /** True when the user has as many waiting runs as allowed, not counting those that make way. */
  readonly is_full: number | boolean;
  /** When the latest run of the thread was created; `null` without one. */
  readonly created_at: number | null;
  /** When that run ended; `null` before. */
  readonly finished_at: number | null;
  /** The latest run that succeeded. */
  readonly latest_success: string | null;
  /** True when a run of the thread is first in its queue. */
  readonly has_first: number | boolean;
  /**
   * True when the worker may claim the run: none is before it, and the worker is not fenced until the
   * transaction ends.
   */
  readonly is_claimable: number | boolean;
  /** The highest `numbers_from` of the thread's runs; `null` without any. */
  readonly last_numbers: number | null;
  /** The time by the clock of the database. */
  readonly database_now: number;
}

/** A run that enters its thread. `userId`: the owner of the thread. */
export interface EnteringRun {
  readonly run: NewRun;
  readonly userId: string | null;
  readonly claim: AdmissionClaim | undefined;
}

/** What happens to the runs before a new one. With the other strategies, they continue. */
export const DISPLACEMENTS: { readonly [strategy in MultitaskStrategy]?: RunCancel } = {
  interrupt: { action: 'interrupt', stopReason: 'replaced' },
  rollback: { action: 'rollback', stopReason: 'rolled_back' },
};

/** Expects that the thread of the run is locked. */
export type FindAdmissionFacts = (trx: WriteTransaction, entering: EnteringRun) => Promise<AdmissionFacts>;

export function createAdmissionFacts(database: Database): FindAdmissionFacts {
  const FACTS = factsStatement(database);
  return async (trx, { run, userId, claim }) => {
    const { threadId, multitaskStrategy, maxWaiting = null, delayMs } = run;
    // A delayed run is not claimed, nor one whose user has no free place.
    const mayStart = claim !== undefined && delayMs === undefined && claim.hasPlaceFor(userId);
    const [row] = await database.run(trx, FACTS, {
      threadId,
      userId: userId ?? UNSCOPED,
      rejects: multitaskStrategy === 'reject' ? 1 : 0,
      makingWay: multitaskStrategy in DISPLACEMENTS ? threadId : '',
      maxWaiting,
      workerId: mayStart ? claim.workerId : null,
    });
    if (row === undefined) throw new Error('a statement without a condition found nothing');
    return row;
  };
}

interface FactsValues extends Readonly<Record<string, string | number | null | symbol>> {
  readonly threadId: string;
  /** The symbol means no user. */
  readonly userId: string | symbol;
  readonly rejects: number;
  readonly makingWay: string;
  readonly maxWaiting: number | null;
  readonly workerId: string | null;
}

/** Runs that enter threads of one user at the same moment may each see capacity for one. */
function factsStatement(database: Database) {
  const { clock } = database;
  return (_: Connection, values: FactsValues) => {
    const { threadId, userId, rejects, makingWay, maxWaiting, workerId } = values;
    const own = typeof userId === 'symbol' ? sql`user_id is null` : sql`user_id = ${userId}`;
    const most = sql`coalesce(cast(${maxWaiting} as bigint), 0)`;
    const first = sql`exists (select 1 from runs where thread_id = ${threadId} and is_first = 1)`;
    const due = sql`exists (
      select 1 from runs where status = 'pending' and is_first is null and start_after <= ${clock})`;
    return sql<AdmissionFacts>`
      select case when cast(${rejects} as integer) = 1
          then exists (select 1 from runs where thread_id = ${threadId} and ${ACTIVE}) else 1 = 0 end as is_busy,
        case when cast(${maxWaiting} as bigint) is null then 1 = 0 else (
          select count(*) from (
            select 1 from runs where status = 'pending' and ${own} and thread_id <> ${makingWay}
            order by created_at, run_id limit ${most}
          ) as waiting
        ) >= ${most} end as is_full,
        latest.created_at, latest.finished_at, (
          select run_id from runs where thread_id = ${threadId} and status = 'success'
          order by created_at desc, run_id desc limit 1
        ) as latest_success,
        ${first} as has_first,
        case when cast(${workerId} as text) is null or ${first} or ${due} then 1 = 0
          else ${workerLives(database, sql`cast(${workerId} as text)`)} end as is_claimable,
        (select max(numbers_from) from runs where thread_id = ${threadId} and numbers_from is not null) as last_numbers,
        ${clock} as database_now
      from (select 1 as place) as always left join (
        select created_at, finished_at from runs where thread_id = ${threadId} order by created_at desc limit 1
      ) as latest on 1 = 1`;
  };
}
