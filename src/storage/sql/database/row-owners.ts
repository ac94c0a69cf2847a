// Owner columns that only Postgres has, for its row-level security. SQLite has no such columns.
import type { Database } from './database.ts';

/** Returns the owner columns of a row; none on SQLite. */
export function ownerColumns({ name }: Database): readonly 'user_id'[] {
  return name === 'postgres' ? ['user_id'] : [];
}
