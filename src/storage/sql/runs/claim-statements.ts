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

/** The kinds of work that exist for a claim. Most claims find none. */
export interface Glance {
  readonly hasExpired: boolean;
  readonly hasFenced: boolean;
  readonly hasGivenUp: boolean;
  readonly hasWaiting: boolean;
  /** True when delayed runs are due and not in their queues yet. */
  readonly hasDue: boolean;
}

export interface Claimable {
  readonly run_id: string;
  readonly user_id: string | null;
  readonly attempt: number;
  /** True when the run only has to be ended, which takes no place for long. */
  readonly is_cancelled: number | boolean;
  /** True when no worker has started it before. */
  readonly is_new: number | boolean;
}

type Find<Values> = (trx: WriteTransaction, values: Values) => Promise<readonly Claimable[]>;

export interface ClaimStatements {
  /** Reads one entry from each of several small indexes. */
  glance(db: Connection, claim: RunClaim): Promise<Glance>;
  /** Returns those of the runs that may be claimed now. */
  findAsked(trx: WriteTransaction, runIds: readonly string[]): Promise<readonly Claimable[]>;
  /** Returns startable runs of all users, oldest first. */
  readonly findOldest: Find<{ fromAttempt: number; limit: number }>;
  /** Returns startable runs of one user. The symbol means no user. */
  readonly findOfUser: Find<{ userId: string | symbol; fromAttempt: number; limit: number }>;
  readonly findCancelled: Find<{ limit: number }>;
  readonly findSuspects: Find<{ fromAttempt: number; limit: number }>;
  findAbandoned(
    trx: WriteTransaction,
    which: RawBuilder<SqlBool>,
    limit: number,
  ): Promise<readonly Claimable[]>;
  /** Returns users with startable runs, in the order of their ids. */
  findUsers(
    trx: WriteTransaction,
    values: { readonly after: string; readonly limit: number },
  ): Promise<readonly { readonly user_id: string }[]>;
  /** Claims the runs and returns them as they are now; none for a fenced worker. */
  take(trx: WriteTransaction, claim: RunClaim, runIds: readonly string[]): Promise<readonly RunRow[]>;
}

const FOUND = sql`run_id, user_id, attempt, cancel_stop_reason is not null as is_cancelled, started_at is null as is_new`;

export function createClaimStatements(database: Database): ClaimStatements {
  const { queries } = database;
  // Rows that another process is claiming at this moment are skipped.
  const skipLocked = database.name === 'postgres' ? sql` for update skip locked` : sql``;
  const oldest = (which: RawBuilder<SqlBool>, limit: number) => sql<Claimable>`
    select ${FOUND} from runs where ${which} order by created_at, run_id limit ${limit}${skipLocked}`;

  const GLANCE = glanceStatement(database);
  const OLDEST = (_: Connection, { fromAttempt, limit }: { fromAttempt: number; limit: number }) =>
    oldest(
      sql<SqlBool>`${STARTABLE} and (attempt < ${fromAttempt} or cancel_stop_reason is not null)`,
      limit,
    );
  const OF_USER = (
    _: Connection,
    { userId, fromAttempt, limit }: { userId: string | symbol; fromAttempt: number; limit: number },
  ) => {
    const own = typeof userId === 'symbol' ? sql`user_id is null` : sql`user_id = ${userId}`;
    return oldest(
      sql<SqlBool>`${STARTABLE} and ${own} and attempt < ${fromAttempt} and cancel_stop_reason is null`,
      limit,
    );
  };
  const CANCELLED = (_: Connection, { limit }: { limit: number }) =>
    oldest(sql<SqlBool>`${STARTABLE} and ${SET_APART} and cancel_stop_reason is not null`, limit);
  const SUSPECTS = (_: Connection, { fromAttempt, limit }: { fromAttempt: number; limit: number }) =>
    oldest(
      sql<SqlBool>`${STARTABLE} and ${SET_APART} and attempt >= ${fromAttempt} and cancel_stop_reason is null`,
      limit,
    );
  const findAsked = createIdsStatement(
    queries,
    (ids) => sql<Claimable>`
      select ${FOUND} from runs where run_id in (${ids}) and (${ABANDONED} or ${STARTABLE})
      order by created_at, run_id${skipLocked}`,
  );
  const take = createBulkChange(queries, { name: 'claims', columns: CLAIM }, (claims) =>
    takeSql(database, claims),
  );
  return {
    async glance(db, { workerId, fencesExpired = false }) {
      const [seen] = await database.run(db, GLANCE, { workerId: fencesExpired ? workerId : null });
      return {
        hasExpired: Boolean(seen?.expired),
        hasFenced: Boolean(seen?.fenced),
        hasGivenUp: Boolean(seen?.given_up),
        hasWaiting: Boolean(seen?.waiting),
        hasDue: Boolean(seen?.due),
      };
    },
    findAsked,
    findOldest: (trx, values) => database.run(trx, OLDEST, values),
    findOfUser: (trx, values) => database.run(trx, OF_USER, values),
    findCancelled: (trx, values) => database.run(trx, CANCELLED, values),
    findSuspects: (trx, values) => database.run(trx, SUSPECTS, values),
    async findAbandoned(trx, which, limit) {
      if (limit <= 0) return [];
      return (await oldest(sql<SqlBool>`${ABANDONED} and ${which}`, limit).execute(trx)).rows;
    },
    findUsers: (trx, values) => database.run(trx, USERS, values),
    take: (trx, claim, runIds) => take(trx, claimRows(claim, runIds)),
  };
}

function glanceStatement(database: Database) {
  const { clock } = database;
  return (_: Connection, { workerId }: { workerId: string | null }) => sql<
    Readonly<Record<'expired' | 'fenced' | 'given_up' | 'waiting' | 'due', number | boolean>>
  >`
    select exists (select 1 from workers where ${expiredWorkers(database, sql`cast(${workerId} as text)`)}) as expired,
      exists (select 1 from workers where fenced = 1) as fenced,
      exists (select 1 from runs where status = 'running' and lease_owner is null) as given_up,
      exists (select 1 from runs where ${STARTABLE}) as waiting,
      exists (select 1 from runs where status = 'pending' and is_first is null and start_after <= ${clock}) as due`;
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

function claimRows({ workerId, epoch, now }: RunClaim, runIds: readonly string[]) {
  return runIds.map((runId) => ({
    claimed_id: runId,
    claim_worker: workerId,
    claim_epoch: epoch,
    claim_at: now,
  }));
}

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
