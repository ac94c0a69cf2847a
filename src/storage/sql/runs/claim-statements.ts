// The statements of claims, compiled once. Their cost does not depend on the number of waiting runs.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunClaim } from '../../run-leases.ts';
import { createBulkChange, createIdsStatement } from '../database/bulk-statement.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { expiredWorkers, workerLives } from '../log/workers.ts';
import { numbersFrom } from './run-numbers.ts';
import { SET_APART, STARTABLE } from './run-queue.ts';
import { RUN_COLUMNS, type RunRow, withEpoch } from './run-rows.ts';

/** Literal statuses in this file, so that the partial indexes are used. */
export const RUNNING = sql<SqlBool>`status = 'running'`;

/** Runs that no worker executes any more, or only a fenced one, whose work does not count. */
const ABANDONED = sql<SqlBool>`status = 'running' and (
  lease_owner is null or lease_owner in (select worker_id from workers where fenced = 1)
)`;

/** The kinds of work that exist for a claim. Most claims find none. `has_due`: delayed runs must enter their queues. */
export type Glance = Readonly<
  Record<'has_expired' | 'has_fenced' | 'has_given_up' | 'has_waiting' | 'has_due', number | boolean>
>;

export interface Claimable {
  readonly run_id: string;
  readonly user_id: string | null;
  readonly attempt: number;
  /** True when the run only has to be ended, which takes no place for long. */
  readonly is_cancelled: number | boolean;
  /** True when no worker has started it before. */
  readonly is_new: number | boolean;
}

const FOUND = sql`run_id, user_id, attempt, cancel_stop_reason is not null as is_cancelled, started_at is null as is_new`;

export type ClaimStatements = ReturnType<typeof createClaimStatements>;

export function createClaimStatements(database: Database) {
  const { queries } = database;
  // Rows that another process is claiming at this moment are skipped.
  const skipLocked = database.name === 'postgres' ? sql` for update skip locked` : sql``;
  const oldest = (which: RawBuilder<SqlBool>, limit: number) => sql<Claimable>`
    select ${FOUND} from runs where ${which} order by created_at, run_id limit ${limit}${skipLocked}`;
  /** Returns a cached statement for the oldest startable runs that meet the condition. */
  const startable = <Values extends Limited>(condition: (values: Values) => RawBuilder<unknown>) => {
    const find = (_: Connection, values: Values) =>
      oldest(sql<SqlBool>`${STARTABLE} and ${condition(values)}`, values.limit);
    return (trx: WriteTransaction, values: Values) => database.run(trx, find, values);
  };
  const GLANCE = glanceStatement(database);
  const take = createBulkChange(queries, { name: 'claims', columns: CLAIM }, (claims) =>
    takeSql(database, claims),
  );
  return {
    /** Reads one entry from each of several small indexes. */
    async glance(db: Connection, { workerId, fencesExpired = false }: RunClaim): Promise<Glance> {
      const [seen] = await database.run(db, GLANCE, { workerId: fencesExpired ? workerId : null });
      if (seen === undefined) throw new Error('a statement without a condition found nothing');
      return seen;
    },

    /** Returns those of the runs that may be claimed now. */
    findAsked: createIdsStatement(
      queries,
      (ids) => sql<Claimable>`
        select ${FOUND} from runs where run_id in (${ids}) and (${ABANDONED} or ${STARTABLE})
        order by created_at, run_id${skipLocked}`,
    ),

    /** Returns startable runs of all users. */
    findOldest: startable(
      ({ fromAttempt }: AskedRuns) => sql`(attempt < ${fromAttempt} or cancel_stop_reason is not null)`,
    ),

    /** Returns startable runs of one user. The symbol means no user. */
    findOfUser: startable(({ userId, fromAttempt }: AskedRuns & { readonly userId: string | symbol }) => {
      const own = typeof userId === 'symbol' ? sql`user_id is null` : sql`user_id = ${userId}`;
      return sql`${own} and attempt < ${fromAttempt} and cancel_stop_reason is null`;
    }),

    findCancelled: startable(() => sql`${SET_APART} and cancel_stop_reason is not null`),

    findSuspects: startable(
      ({ fromAttempt }: AskedRuns) =>
        sql`${SET_APART} and attempt >= ${fromAttempt} and cancel_stop_reason is null`,
    ),

    async findAbandoned(trx: WriteTransaction, which: RawBuilder<SqlBool>, limit: number) {
      if (limit <= 0) return [];
      return (await oldest(sql<SqlBool>`${ABANDONED} and ${which}`, limit).execute(trx)).rows;
    },

    /** Returns users with startable runs, in the order of their ids. */
    findUsers: (trx: WriteTransaction, values: { readonly after: string; readonly limit: number }) =>
      database.run(trx, USERS, values),

    /** Claims the runs and returns them as they are now; none for a fenced worker. */
    take: (trx: WriteTransaction, { workerId, epoch, now }: RunClaim, runIds: readonly string[]) =>
      take(
        trx,
        runIds.map((runId) => ({
          claimed_id: runId,
          claim_worker: workerId,
          claim_epoch: epoch,
          claim_at: now,
        })),
      ),
  };
}

type Limited = Readonly<Record<string, string | number | symbol>> & { readonly limit: number };
/** Runs with at least `fromAttempt` attempts are suspects. */
type AskedRuns = { readonly fromAttempt: number; readonly limit: number };

function glanceStatement(database: Database) {
  const { clock } = database;
  return (_: Connection, { workerId }: { workerId: string | null }) => sql<Glance>`
    select exists (
        select 1 from workers where ${expiredWorkers(database, sql`cast(${workerId} as text)`)}
      ) as has_expired,
      exists (select 1 from workers where fenced = 1) as has_fenced,
      exists (select 1 from runs where status = 'running' and lease_owner is null) as has_given_up,
      exists (select 1 from runs where ${STARTABLE}) as has_waiting,
      exists (select 1 from runs where status = 'pending' and is_first is null and start_after <= ${clock}) as has_due`;
}

/** Enters the index once for each user, however many runs of a user wait. */
const USERS = (_: Connection, { after, limit }: { after: string; limit: number }) => sql<{
  user_id: string;
}>`
  with recursive turns (user_id) as (
    select * from (
      select user_id from runs where ${STARTABLE} and user_id > ${after} order by user_id limit 1
    ) as first
    union all
    select (
      select user_id from runs where ${STARTABLE} and user_id > turns.user_id order by user_id limit 1
    ) from turns where turns.user_id is not null
  )
  select user_id from turns where user_id is not null limit ${limit}`;

const CLAIM = { claimed_id: 'text', claim_worker: 'text', claim_epoch: 'text', claim_at: 'bigint' } as const;

/**
 * The queue ensures that no other run of the thread is executed. The condition keeps other claims from
 * failing if that is ever wrong.
 */
function takeSql(database: Database, claims: RawBuilder<unknown>): RawBuilder<RunRow> {
  const at = sql<number>`claim_at`;
  return sql<RunRow>`
    with ${claims}
    update runs set
      status = 'running',
      attempt = attempt + 1,
      epochs = ${withEpoch(sql`claim_epoch`)},
      lease_owner = claim_worker,
      started_at = coalesce(started_at, claim_at),
      numbers_from = coalesce(numbers_from, ${numbersFrom(at)}),
      updated_at = claim_at
    from claims where run_id = claimed_id and ${workerLives(database, sql`claim_worker`)}
      and not exists (
        select 1 from runs as other
        where other.thread_id = runs.thread_id and other.status = 'running' and other.run_id <> runs.run_id
      )
    returning ${sql.join(RUN_COLUMNS.map((column) => sql.ref(column)))}`;
}
