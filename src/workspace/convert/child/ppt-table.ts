// Cells with their edges, as the rows of a table. Pure.

export interface PlacedCell<Content> {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly content: Content;
}

/** Nobody makes larger ones by hand. */
const MAX_CELLS = 5_000;

/** One over several rows stands in each of them: a row is read alone. `undefined`: they are too many, or none. */
export function gridOf<Content>(
  cells: readonly PlacedCell<Content>[],
): readonly (readonly (Content | undefined)[])[] | undefined {
  const tops = sorted(cells.map(({ top }) => top));
  const lefts = sorted(cells.map(({ left }) => left));
  if (cells.length === 0 || Math.max(tops.length * lefts.length, cells.length) > MAX_CELLS) return undefined;
  return tops.map((top) =>
    lefts.map((left) => cells.find((it) => it.left === left && it.top <= top && top < it.bottom)?.content),
  );
}

function sorted(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
