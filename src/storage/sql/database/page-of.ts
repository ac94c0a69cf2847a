// The end of a query for one page.
import { type RawBuilder, sql } from 'kysely';

/**
 * `limit` and `offset`. Postgres keeps a plan for all values only where it knows how much is wanted: the limit is
 * written out, and a first page has no offset.
 */
export function pageOf({
  limit,
  offset,
}: {
  readonly limit: number;
  readonly offset: number;
}): RawBuilder<unknown> {
  const first = sql`limit ${sql.lit(limit)}`;
  return offset === 0 ? first : sql`${first} offset ${offset}`;
}
