// Statements over many rows with recurring texts, so that each text is compiled and prepared once.
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Connection, WriteTransaction } from './database.ts';
import type { Tables } from './tables.ts';

/** Rows per statement. Any number of rows is a sum of these, so a statement has only seven texts. */
const SIZES = [64, 32, 16, 8, 4, 2, 1];

export type SqlValue = string | Uint8Array | number | null;

/** Runs the statement over all rows, in order. Returns the rows that it returned, if any. */
export type BulkStatement<Result> = (
  trx: WriteTransaction,
  rows: readonly (readonly SqlValue[])[],
) => Promise<readonly Result[]>;

/**
 * Creates a bulk statement. `build` makes it for a list of row placeholders such as `(?, ?)`, each for one
 * row's values.
 */
export function createBulkStatement<Result = never>(
  queries: Connection,
  row: RawBuilder<unknown>,
  build: (rows: RawBuilder<unknown>) => RawBuilder<Result>,
): BulkStatement<Result> {
  // Most texts are never needed, and one of 64 rows takes long to build.
  const texts = new Map<number, string>();
  const textOf = (size: number): string => {
    const known = texts.get(size);
    if (known !== undefined) return known;
    const { sql: text, parameters } = build(sql.join(Array.from({ length: size }, () => row))).compile(
      queries,
    );
    // Only the values of the rows will be bound.
    if (parameters.some((it) => it !== null)) throw new Error('a bulk statement has values beside its rows');
    texts.set(size, text);
    return text;
  };
  return async (trx, rows) => {
    const results: Result[] = [];
    let start = 0;
    while (start < rows.length) {
      const size = SIZES.find((it) => it <= rows.length - start) ?? 1;
      const parameters = rows.slice(start, start + size).flat();
      const { rows: returned } = await trx.executeQuery<Result>(CompiledQuery.raw(textOf(size), parameters));
      results.push(...returned);
      start += size;
    }
    return results;
  };
}

/** Creates a statement over ids, which go into the parentheses of `in (…)`. */
export function createIdsStatement<Result = never>(
  queries: Connection,
  build: (ids: RawBuilder<unknown>) => RawBuilder<Result>,
): (trx: WriteTransaction, ids: readonly string[]) => Promise<readonly Result[]> {
  const run = createBulkStatement(queries, sql`${null}`, build);
  const alone = (id: string) => [id];
  return (trx, ids) => run(trx, ids.map(alone));
}

type NamedValues<Column extends string> = Readonly<Record<Column, SqlValue>>;

type NamedStatement<Column extends string, Result> = (
  trx: WriteTransaction,
  rows: readonly NamedValues<Column>[],
) => Promise<readonly Result[]>;

export function createBulkInsert<T extends keyof Tables, Column extends keyof Tables[T] & string>(
  queries: Connection,
  insert: {
    readonly into: T;
    readonly columns: readonly Column[];
    /** What to do with a row that exists already. The default is to fail. */
    readonly onConflict?: 'do nothing';
  },
): NamedStatement<Column, never> {
  const { columns } = insert;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const row = sql`(${sql.join(columns.map(() => null))})`;
  const conflict = insert.onConflict === undefined ? sql`` : sql` on conflict do nothing`;
  const run = createBulkStatement<never>(
    queries,
    row,
    (rows) => sql`insert into ${sql.table(insert.into)} (${names}) values ${rows}${conflict}`,
  );
  return byName(run, columns);
}

/**
 * Creates a statement over a table of the given values with these columns. `build` receives the table
 * expression for `with`: the name of the table, its columns and its rows.
 */
export function createBulkChange<Types extends Readonly<Record<string, 'text' | 'bigint'>>, Result = never>(
  queries: Connection,
  { name, columns }: { readonly name: string; readonly columns: Types },
  build: (given: RawBuilder<unknown>) => RawBuilder<Result>,
): NamedStatement<keyof Types & string, Result> {
  const order: (keyof Types & string)[] = [];
  for (const column in columns) order.push(column);
  const names = sql.join(order.map((column) => sql.ref(column)));
  const row = sql`(${sql.join(order.map((column) => sql`cast(${null} as ${sql.raw(columns[column] ?? 'text')})`))})`;
  const run = createBulkStatement(queries, row, (rows) =>
    build(sql`${sql.ref(name)} (${names}) as (values ${rows})`),
  );
  return byName(run, order);
}

/** Returns the statement for rows with named values. */
function byName<Column extends string, Result>(
  run: BulkStatement<Result>,
  columns: readonly Column[],
): NamedStatement<Column, Result> {
  const valuesOf = (row: NamedValues<Column>) => columns.map((column) => row[column]);
  return (trx, rows) => run(trx, rows.map(valuesOf));
}
