// Reservations of a user's daily budget, in SQL.
import { type RawBuilder, sql } from 'kysely';
import type { BudgetRequest, BudgetReservations } from '../../usage.ts';
import { createIdsStatement } from '../database/bulk-statement.ts';
import type { Connection, Database, WriteTransaction } from '../database/database.ts';
import { takeTurn } from '../database/turn-lock.ts';

export function createBudgetReservations(database: Database): BudgetReservations {
  return {
    async reserve(request) {
      const isGranted = await database.write(async (trx) => {
        await takeTurn(database, trx, `budget ${request.userId}`);
        return insertIfWithin(trx, request);
      });
      if (isGranted) return { kind: 'granted' };
      return { kind: 'refused', ...(await database.read((db) => takenOf(db, request))) };
    },
  };
}

async function insertIfWithin(trx: WriteTransaction, request: BudgetRequest): Promise<boolean> {
  const { limits, tokens, nanos } = request;
  const within: RawBuilder<unknown>[] = [];
  if (limits.tokens !== undefined) within.push(sql`${takenTokens(request)} + ${tokens} <= ${limits.tokens}`);
  if (limits.nanos !== undefined) within.push(sql`${takenNanos(request)} + ${nanos} <= ${limits.nanos}`);
  const { rows } = await sql`
    insert into budget_reservations
      (reservation_id, run_id, attempt, user_id, day, currency, tokens, cost_nanos)
    select cast(${request.reservationId} as text), cast(${request.runId} as text),
      cast(${request.attempt} as integer), cast(${request.userId} as text), cast(${request.day} as text),
      cast(${request.currency} as text), cast(${tokens} as bigint), cast(${nanos} as bigint)
    where ${sql.join(within, sql` and `)}
    returning reservation_id`.execute(trx);
  return rows.length > 0;
}

async function takenOf(db: Connection, request: BudgetRequest): Promise<{ tokens: number; nanos: number }> {
  const { rows } = await sql<{ tokens: number | string; nanos: number | string }>`
    select ${takenTokens(request)} as tokens, ${takenNanos(request)} as nanos`.execute(db);
  return { tokens: Number(rows[0]?.tokens ?? 0), nanos: Number(rows[0]?.nanos ?? 0) };
}

/** The sum of what is spent and reserved on that day. */
function takenTokens(request: BudgetRequest): RawBuilder<number> {
  const { userId, day } = request;
  return sql`(select coalesce(sum(tokens), 0) from usage_days where user_id = ${userId} and day = ${day})
    + (select coalesce(sum(tokens), 0) ${setAside(request)})`;
}

function takenNanos(request: BudgetRequest): RawBuilder<number> {
  const { userId, day, currency } = request;
  return sql`(select coalesce(sum(cost_nanos), 0) from usage_days
      where user_id = ${userId} and day = ${day} and currency = ${currency})
    + (select coalesce(sum(cost_nanos), 0) ${setAside(request)} and currency = ${currency})`;
}

/** Reservations of a dead attempt no longer count. */
function setAside({ userId, day }: BudgetRequest): RawBuilder<unknown> {
  return sql`from budget_reservations
    inner join runs on runs.run_id = budget_reservations.run_id
      and runs.status = 'running' and runs.attempt = budget_reservations.attempt
    where budget_reservations.user_id = ${userId} and budget_reservations.day = ${day}`;
}

/** The reservations that a run releases: some of them, or all, including those of earlier attempts. */
interface ReleasedReservations {
  readonly runId: string;
  readonly released: readonly string[] | 'all';
}

export type ReleaseReservations = ReturnType<typeof createReleaseReservations>;

export function createReleaseReservations({ queries }: Database) {
  const release = (column: 'reservation_id' | 'run_id') =>
    createIdsStatement(
      queries,
      (ids) => sql<never>`delete from budget_reservations where ${sql.ref(column)} in (${ids})`,
    );
  const byId = release('reservation_id');
  const byRun = release('run_id');
  return async (trx: WriteTransaction, changes: readonly ReleasedReservations[]): Promise<void> => {
    const ids = changes.flatMap(({ released }) => (released === 'all' ? [] : released));
    await byId(trx, ids);
    const runIds = changes.flatMap(({ runId, released }) => (released === 'all' ? [runId] : []));
    await byRun(trx, runIds);
  };
}
