// Turns of transactions on something that has no row to lock.
import { sql } from 'kysely';
import type { Database, WriteTransaction } from './database.ts';

/**
 * Waits until no other transaction that took its turn under this key is open. On Postgres a statement sees
 * only what was committed before it began. SQLite has one writer anyway.
 */
export async function takeTurn(database: Database, trx: WriteTransaction, key: string): Promise<void> {
  if (database.name === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
}
