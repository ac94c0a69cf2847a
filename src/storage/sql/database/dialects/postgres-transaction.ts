// Transactions whose outcome is known even when the connection breaks during commit.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { ServiceError } from '../../../../errors.ts';
import type { Connection, WriteTransaction } from '../database.ts';
import { postgresFailure } from './postgres-failure.ts';
import { type RetryPolicy, withRetries } from './retry.ts';

interface Sent<T> {
  readonly result: T;
  /** `null` when the transaction wrote nothing. */
  readonly transactionId: string | null;
}

/** `transaction_resolution_unknown`: the server has not decided yet. */
const UNDECIDED = '08007';

/** Pause between two series of tries. */
const PAUSE_MS = 1_000;

export async function transactOnPostgres<T>(
  db: Connection,
  change: (trx: WriteTransaction) => Promise<T>,
  retry: RetryPolicy,
): Promise<T> {
  const sent: Sent<T>[] = [];
  try {
    return await db.transaction().execute(async (trx) => {
      const result = await change(trx);
      sent.push({ result, transactionId: await transactionIdOf(trx) });
      return result;
    });
  } catch (error) {
    const last = sent.at(-1);
    if (last === undefined || postgresFailure(error).kind !== 'retry') throw error;
    // The response to `commit` was lost, not necessarily the commit. Retrying could write everything twice.
    if (await outcomeOf(db, last.transactionId, retry)) return last.result;
    throw error;
  }
}

/**
 * Returns whether it was committed. Asks until the server responds, because giving up could write everything
 * twice.
 */
async function outcomeOf(db: Connection, transactionId: string | null, retry: RetryPolicy): Promise<boolean> {
  for (;;) {
    try {
      return await withRetries(retry, () => isCommitted(db, transactionId));
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === 'unavailable';
      // A closed pool never responds.
      if (!isAway) throw error;
    }
    await pause(PAUSE_MS);
  }
}

async function transactionIdOf(trx: WriteTransaction): Promise<string | null> {
  const query = sql<{ id: string | null }>`select pg_current_xact_id_if_assigned()::text as id`;
  return (await query.execute(trx)).rows[0]?.id ?? null;
}

async function isCommitted(db: Connection, transactionId: string | null): Promise<boolean> {
  if (transactionId === null) return true;
  const query = sql<{ status: string }>`select pg_xact_status(${transactionId}::xid8) as status`;
  const status = (await query.execute(db)).rows[0]?.status;
  if (status === 'in progress') {
    throw Object.assign(new Error('the transaction is still being decided'), { code: UNDECIDED });
  }
  return status === 'committed';
}
