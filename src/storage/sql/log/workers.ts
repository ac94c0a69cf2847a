// The rows of the processes that execute runs, and fencing, which keeps a lost process from writing.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { WorkerLease, WorkerRenewal, Workers, WorkerTurn } from '../../run-leases.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { allOf, apply, firstOf } from '../database/results.ts';
import type { SharedClock } from '../database/shared-clock.ts';
import type { RunLogRows } from './run-log-rows.ts';

interface WorkersParts {
  readonly logRows: RunLogRows;
  readonly clock: SharedClock;
}

export function createWorkers(database: Database, { logRows, clock }: WorkersParts): Workers {
  const leaseUntil = (leaseMs: number) => sql<number>`${database.clock} + ${leaseMs}`;
  return {
    register: ({ workerId, leaseMs }: WorkerLease) =>
      database.write((trx) => {
        const row = { worker_id: workerId, lease_until: leaseUntil(leaseMs), flush: 0, fenced: 0 };
        const added = trx.insertInto('workers').values(row);
        return apply(added.onConflict((conflict) => conflict.doNothing()));
      }),

    renew: async ({ workerId, leaseMs, acknowledged }: WorkerRenewal) => {
      const askedAt = clock.elapsed();
      const [renewed] = await database.writeOnce((db) => {
        const mine = db.updateTable('workers').set({ lease_until: leaseUntil(leaseMs) });
        return mine
          .where('worker_id', '=', workerId)
          .where('fenced', '=', 0)
          .where('flush', '>=', acknowledged)
          .returning(['lease_until', ...turnOf(database, workerId)])
          .execute();
      });
      if (renewed === undefined) return undefined;
      clock.heard(Number(renewed.lease_until) - leaseMs, askedAt);
      return toTurn(renewed);
    },

    current: (workerId) =>
      database.read((db) => {
        const mine = db.selectFrom('workers').where('worker_id', '=', workerId).where('fenced', '=', 0);
        return firstOf(mine.select(turnOf(database, workerId)), toTurn);
      }),

    retire: (workerId) =>
      database.write(async (trx) => {
        await fenceWorker(trx, logRows, workerId);
        await removeGone(trx);
      }),

    fenceOthers: (workerId) =>
      database.write(async (trx) => {
        await trx.updateTable('workers').set({ fenced: 1 }).where('worker_id', '!=', workerId).execute();
        const logs = trx.selectFrom('run_log').select('worker_id').distinct();
        await logRows.sort(trx, await allOf(logs.where('worker_id', '!=', workerId), idOf));
      }),
  };
}

interface TurnRow {
  readonly holds_runs: number | boolean;
  readonly has_work: number | boolean;
}

/** The columns of a worker's turn. Each condition reads one entry of a small index. */
function turnOf(database: Database, workerId: string) {
  const { clock } = database;
  return [
    sql<TurnRow['holds_runs']>`exists (
      select 1 from runs where status = 'running' and lease_owner = ${workerId}
    )`.as('holds_runs'),
    sql<TurnRow['has_work']>`(
      exists (select 1 from runs where status = 'pending' and is_first = 1)
      or exists (select 1 from runs where status = 'pending' and is_first is null and start_after <= ${clock})
      or exists (select 1 from runs where status = 'running' and lease_owner is null)
      or exists (select 1 from workers as others where others.fenced = 1
        or (others.lease_until < ${clock} and others.worker_id <> ${workerId}))
    )`.as('has_work'),
  ] as const;
}

function toTurn({ holds_runs, has_work }: TurnRow): WorkerTurn {
  return { holdsRuns: Boolean(holds_runs), hasWork: Boolean(has_work) };
}

/** Fences the worker, which can no longer write, and moves its logged events into the rows of its runs. */
export async function fenceWorker(trx: WriteTransaction, logRows: RunLogRows, workerId: string) {
  await trx.updateTable('workers').set({ fenced: 1 }).where('worker_id', '=', workerId).execute();
  await logRows.sort(trx, [workerId]);
}

/**
 * True when the worker is not fenced, which then stays so until the transaction ends. `workerId` is a string
 * or an expression.
 */
export function workerLives({ name }: Database, workerId: RawBuilder<unknown> | string): RawBuilder<SqlBool> {
  // A function, because owners claim runs but cannot read workers. See the migration.
  if (name === 'postgres') return sql<SqlBool>`worker_lives(${workerId})`;
  return sql<SqlBool>`exists (select 1 from workers where worker_id = ${workerId} and fenced = 0)`;
}

/**
 * Fences the workers whose lease has ended, except this one. Returns their ids. Skips a worker that is
 * writing: it is alive, or the database will soon end its transaction.
 */
export async function fenceExpired(
  database: Database,
  trx: WriteTransaction,
  workerId: string,
): Promise<readonly string[]> {
  const skipLocked = database.name === 'postgres' ? sql` for update skip locked` : sql``;
  const { rows } = await sql<{ worker_id: string }>`update workers set fenced = 1 where worker_id in (
    select worker_id from workers where ${expiredWorkers(database, workerId)}${skipLocked}
  ) returning worker_id`.execute(trx);
  return rows.map(idOf);
}

function idOf(row: { readonly worker_id: string }): string {
  return row.worker_id;
}

/** A condition on rows of `workers`: another worker, not fenced yet, whose lease has ended. */
export function expiredWorkers({ clock }: Database, workerId: RawBuilder<unknown> | string) {
  return sql<SqlBool>`fenced = 0 and lease_until < ${clock} and worker_id <> ${workerId}`;
}

/** Removes the rows of fenced workers that have no running runs. */
export async function removeGone(trx: WriteTransaction): Promise<void> {
  await sql`delete from workers where fenced = 1 and not exists (
    select 1 from runs where runs.status = 'running' and runs.lease_owner = workers.worker_id
  )`.execute(trx);
}
