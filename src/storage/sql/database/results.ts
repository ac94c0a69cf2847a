// What a query found: its rows as records, or whether there are any.

/** A query of Kysely, or a change that returns the rows that it has changed. */
interface Query<Row> {
  execute(): Promise<readonly Row[]>;
}

/** Returns the first row as a record; `undefined` without one. */
export async function firstOf<Row, Result>(
  query: Query<Row>,
  toResult: (row: Row) => Result,
): Promise<Result | undefined> {
  const [row] = await query.execute();
  return row === undefined ? undefined : toResult(row);
}

/** Returns all rows as records, in their order. */
export async function allOf<Row, Result>(
  query: Query<Row>,
  toResult: (row: Row) => Result,
): Promise<readonly Result[]> {
  return (await query.execute()).map((row) => toResult(row));
}

/** Whether the query finds a row, or the change returns one. */
export async function isAny(query: Query<unknown>): Promise<boolean> {
  return (await query.execute()).length > 0;
}

/** Makes a change of which nothing is returned. */
export async function apply(change: Query<unknown>): Promise<void> {
  await change.execute();
}
