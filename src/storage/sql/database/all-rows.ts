// Reads any number of rows, a page at a time.

interface Pages<Column, Value> {
  /** The column that sorts the rows. No two of them have the same value. */
  readonly by: Column;
  /** A value before the first row. */
  readonly after: Value;
  readonly atOnce: number;
}

/** Yields all rows in order. `read` returns the first `atOnce` rows after a value of the column. */
export async function* allRows<
  Column extends string,
  Value,
  Row extends { readonly [name in Column]: Value },
>(pages: Pages<Column, Value>, read: (after: Value) => Promise<readonly Row[]>): AsyncGenerator<Row> {
  let { after } = pages;
  for (;;) {
    const page = await read(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pages.atOnce) return;
    after = last[pages.by];
  }
}
