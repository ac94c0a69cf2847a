// Statements over many rows whose texts recur, so that they are compiled and prepared once.
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Connection, WriteTransaction } from './database.ts';
import { bindable } from './dialects/bindable.ts';
import type { Tables } from './tables.ts';

/** Rows per statement; any number of rows is a sum of these, so a statement has seven texts and no more. */
const SIZES = [64, 32, 16, 8, 4, 2, 1];

export type SqlValue = string | Uint8Array | number | null;

/** Runs the statement over all rows, in their order; the rows it returned, if any. */
export type BulkStatement<Result> = (
  trx: WriteTransaction,
  rows: readonly (readonly SqlValue[])[],
) => Promise<readonly Result[]>;

/** `build` makes the statement for a list of row placeholders such as `(?, ?)`, each taking one row's values. */
export function createBulkStatement<Result = never>(
  queries: Connection,
  row: RawBuilder<unknown>,
  build: (rows: RawBuilder<unknown>) => RawBuilder<Result>,
): BulkStatement<Result> {
  const texts = new Map(
    SIZES.map((size) => [
      size,
      build(sql.join(Array.from({ length: size }, () => row))).compile(queries).sql,
    ]),
  );
  return async (trx, rows) => {
    const results: Result[] = [];
    let start = 0;
    while (start < rows.length) {
      const size = SIZES.find((it) => it <= rows.length - start) ?? 1;
      const parameters = rows
        .slice(start, start + size)
        .flat()
        .map(bindable);
      const { rows: returned } = await trx.executeQuery<Result>(
        CompiledQuery.raw(texts.get(size) ?? '', parameters),
      );
      results.push(...returned);
      start += size;
    }
    return results;
  };
}

/** An insert of these columns; each row gives their values in the same order. */
export function createBulkInsert<T extends keyof Tables>(
  queries: Connection,
  insert: {
    readonly into: T;
    readonly columns: readonly (keyof Tables[T] & string)[];
    /** What to do with a row that is there already; the default is to fail. */
    readonly onConflict?: 'do nothing';
  },
): BulkStatement<never> {
  const names = sql.join(insert.columns.map((column) => sql.ref(column)));
  const row = sql`(${sql.join(insert.columns.map(() => null))})`;
  const conflict = insert.onConflict === undefined ? sql`` : sql` on conflict do nothing`;
  return createBulkStatement(
    queries,
    row,
    (rows) => sql`insert into ${sql.table(insert.into)} (${names}) values ${rows}${conflict}`,
  );
}
