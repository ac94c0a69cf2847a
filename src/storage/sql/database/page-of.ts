// Pages: the `limit` and `offset` of a query, and lists split into pages.
import { type RawBuilder, sql } from 'kysely';

/**
 * Returns `limit` and `offset`. Postgres keeps a plan for all values only when it knows how many rows are
 * wanted, so the limit is a literal, and the first page has no offset.
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

/** Yields the items in order, `atOnce` at a time. */
export function* pagesOf<T>(items: readonly T[], atOnce: number): Generator<readonly T[]> {
  for (let first = 0; first < items.length; first += atOnce) yield items.slice(first, first + atOnce);
}
