// How much a run of the tests goes through: `npm test` as much as shows every behaviour, `npm run test:long` all of it.

/** Whether this run is a long one. */
export const isLong = process.env.LONG_TESTS === '1';

/** How many seeds, rounds or people. */
export function amount(everyday: number, long: number): number {
  return isLong ? long : everyday;
}

/** All rows in a long run, else those that stand for the others. */
export function cases<Row>(rows: readonly Row[], stands: (row: Row) => boolean): readonly Row[] {
  return isLong ? rows : rows.filter(stands);
}
