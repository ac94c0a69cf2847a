// Idempotency keys: the run that a key of an owner stands for.
import type { Owner } from '../../storage.ts';
import type { Connection, WriteTransaction } from '../database/database.ts';
import { isOwned, stampOf } from '../database/owner-filter.ts';
import { firstOf, isAny } from '../database/results.ts';
import { toRun } from './run-rows.ts';

/** How long a key stands for its run. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

interface KeyOfRun {
  readonly key: string;
  readonly runId: string;
  readonly now: number;
}

/**
 * Makes the key stand for this run, unless it stands for another one. Returns whether it stands for this run
 * now. Of two transactions with the same key, the second waits here for the end of the first.
 */
export function takeKey(trx: WriteTransaction, owner: Owner, { key, runId, now }: KeyOfRun) {
  const taken = trx
    .insertInto('idempotency_keys')
    .values({ user_id: keyOwner(owner), key, run_id: runId, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'key'])
        .doUpdateSet({ run_id: runId, created_at: now })
        .where('idempotency_keys.created_at', '<=', now - LIFETIME_MS),
    );
  return isAny(taken.returning('run_id'));
}

/**
 * Makes the key stand for this run, whatever it stood for. Only for a key that `takeKey` has locked and whose
 * run was not found, because the thread of that run is deleted but its rows are not removed yet.
 */
export async function takeOverKey(trx: WriteTransaction, owner: Owner, { key, runId, now }: KeyOfRun) {
  const mine = trx.updateTable('idempotency_keys').set({ run_id: runId, created_at: now });
  await mine.where('user_id', '=', keyOwner(owner)).where('key', '=', key).execute();
}

/** Deletes a key that was taken in this transaction. */
export async function dropKey(trx: WriteTransaction, owner: Owner, key: string): Promise<void> {
  const mine = trx.deleteFrom('idempotency_keys').where('user_id', '=', keyOwner(owner));
  await mine.where('key', '=', key).execute();
}

/** Returns the run for which the key stands at this time. */
export function findRunByKey(db: Connection, owner: Owner, { key, now }: Omit<KeyOfRun, 'runId'>) {
  const found = db
    .selectFrom('idempotency_keys')
    .innerJoin('runs', 'runs.run_id', 'idempotency_keys.run_id')
    .innerJoin('threads', 'threads.thread_id', 'runs.thread_id')
    .selectAll('runs')
    .where('idempotency_keys.user_id', '=', keyOwner(owner))
    .where('idempotency_keys.key', '=', key)
    .where(isOwned('threads.user_id'))
    .where('idempotency_keys.created_at', '>', now - LIFETIME_MS);
  return firstOf(found, toRun);
}

/** Returns a string for the unscoped owner, too, because null would never be equal to itself. */
function keyOwner(owner: Owner): string {
  return stampOf(owner) ?? '';
}
