// The statements of claims, compiled once: what they cost does not depend on how many runs wait.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunClaim } from '../../run-leases.ts';
import { createBulkChange, createBulkStatement } from '../database/bulk-statement.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { expiredWorkers, workerLives } from '../log/workers.ts';
import { numbersFrom } from './run-numbers.ts';
import { SET_APART, STARTABLE } from './run-queue.ts';
import { RUN_COLUMNS, type RunRow, withEpoch } from './run-rows.ts';

/** Literal statuses in this file, so that the partial indexes are used. */
export const RUNNING = sql<SqlBool>`status = 'running'`;

/** Nobody executes them any more, or nothing that is done there counts. */
const ABANDONED = sql<SqlBool>`status = 'running' and (
  lease_owner is null or lease_owner in (select worker_id from workers where fenced = 1)
)`;

/** What there is for a claim; most find nothing. */
export interface Glance {
  readonly hasExpired: boolean;
  readonly hasFenced: boolean;
  readonly hasGivenUp: boolean;
  readonly hasWaiting: boolean;
  /** Delayed runs are due, and not in their queues yet. */
  readonly hasDue: boolean;
}

export interface Claimable {
  readonly run_id: string;
  readonly user_id: string | null;
  readonly attempt: number;
  /** It is only to be ended, which takes no place for long. */
  readonly is_cancelled: number | boolean;
  /** Nobody has taken it up before. */
  readonly is_new: number | boolean;
}

type Find<Values> = (trx: WriteTransaction, values: Values) => Promise<readonly Claimable[]>;

export interface ClaimStatements {
  /** An entry each of small indexes. */
  glance(db: Connection, claim: RunClaim): Promise<Glance>;
  /** Those that may be taken up now. */
  findAsked(trx: WriteTransaction, runIds: readonly string[]): Promise<readonly Claimable[]>;
  /** Startable ones, oldest first, whosever they are. */
  readonly findOldest: Find<{ fromAttempt: number; limit: number }>;
  /** The symbol stands for nobody. */
  readonly findOfUser: Find<{ userId: string | symbol; fromAttempt: number; limit: number }>;
  readonly findCancelled: Find<{ limit: number }>;
  readonly findSuspects: Find<{ fromAttempt: number; limit: number }>;
  findAbandoned(
    trx: WriteTransaction,
    which: RawBuilder<SqlBool>,
    limit: number,
  ): Promise<readonly Claimable[]>;
  /** Users with startable runs, in the order of their ids. */
  findUsers(
    trx: WriteTransaction,
    values: { readonly after: string; readonly limit: number },
  ): Promise<readonly { readonly user_id: string }[]>;
  /** The runs as they are claimed; none for a worker that is fenced. */
  take(trx: WriteTransaction, claim: RunClaim, runIds: readonly string[]): Promise<readonly RunRow[]>;
}

const FOUND = sql`run_id, user_id, attempt, cancel_stop_reason is not null as is_cancelled, started_at is null as is_new`;

export function createClaimStatements(database: Database): ClaimStatements {
  const { queries } = database;
  // Rows that another process is claiming at this moment are passed over.
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
  const findAsked = createBulkStatement(
    queries,
    sql`${null}`,
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
    findAsked: (trx, runIds) =>
      findAsked(
        trx,
        runIds.map((runId) => [runId]),
      ),
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

/** However many runs a user has waiting, the index is entered once for each user. */
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

/** That no other run of the thread is executed follows from its queue; nobody's claim fails if that is ever wrong. */
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
