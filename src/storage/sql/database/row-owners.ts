// Rows that say whose they are for Postgres alone, which keeps owners apart itself: on SQLite they have no such column.
import type { Database } from './database.ts';

/** The columns of a row; SQLite has none. */
export function ownerColumns({ name }: Database): readonly 'user_id'[] {
  return name === 'postgres' ? ['user_id'] : [];
}
