// How much a test run covers: `npm test` enough to show every behavior, `npm run test:long` everything.

/** Whether this run is a long one. */
export const isLong = process.env.LONG_TESTS === '1';

/** Returns the number of seeds, rounds or people. */
export function amount(everyday: number, long: number): number {
  return isLong ? long : everyday;
}

/** Returns all rows in a long run, otherwise those that represent the others. */
export function cases<Row>(rows: readonly Row[], stands: (row: Row) => boolean): readonly Row[] {
  return isLong ? rows : rows.filter(stands);
}
