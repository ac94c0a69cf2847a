// Keeps an account from being deleted while rows of it are written.
import type { Database, WriteTransaction } from './database.ts';
import { isAny } from './results.ts';

/**
 * Returns whether the account exists, and keeps it from being deleted until the transaction ends. Rows
 * written after its deletion would never be removed. Of two transactions that call it, the second waits.
 */
export function hasAccount(database: Database, trx: WriteTransaction, userId: string): Promise<boolean> {
  return isAny(database.locked(trx.selectFrom('users').select('id').where('id', '=', userId)));
}
