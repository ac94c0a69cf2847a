// Notes of work that a process must finish. One process claims each due note, and another may when the claim
// expires.
import { type RawBuilder, sql } from 'kysely';
import type { Connection, Database } from './database.ts';

interface Notes {
  readonly table: 'thread_removals' | 'account_removals' | 'thread_imports';
  readonly id: 'thread_id' | 'user_id' | 'import_id';
  /** Further assignments when a note is claimed. */
  readonly marks?: RawBuilder<unknown>;
}

interface Claim {
  readonly now: number;
  readonly takenUntil: number;
  readonly limit: number;
}

interface TakenNote<Owner> {
  readonly id: string;
  readonly user_id: Owner;
}

/** Claims the notes that have been due longest. `Owner` is the type of their column `user_id`. */
export async function takeNotes<Owner extends string | null = string>(
  database: Database,
  { table, id, marks = sql`` }: Notes,
  { now, takenUntil, limit }: Claim,
): Promise<readonly TakenNote<Owner>[]> {
  const key = sql.ref(id);
  const dueIn = async (db: Connection, lock: RawBuilder<unknown>): Promise<readonly string[]> => {
    const due = sql<{ id: string }>`select ${key} as id from ${sql.table(table)}
      where taken_until <= ${now} order by taken_until, ${key} limit ${limit}${lock}`;
    return (await due.execute(db)).rows.map((row) => row.id);
  };
  // Most passes find nothing and need no transaction.
  if ((await database.read((db) => dueIn(db, sql``))).length === 0) return [];
  return database.write(async (trx) => {
    const ids = await dueIn(trx, database.name === 'postgres' ? sql` for update` : sql``);
    if (ids.length === 0) return [];
    const take = sql<TakenNote<Owner>>`update ${sql.table(table)} set taken_until = ${takenUntil}${marks}
      where ${key} in (${sql.join(ids)}) returning ${key} as id, user_id`;
    return (await take.execute(trx)).rows;
  });
}
