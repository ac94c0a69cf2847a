// Fields of an old Word document: an instruction, such as a link, and its result. Pure.

const BEGIN = '\u0013';
const SEPARATOR = '\u0014';
const END = '\u0015';
/** The marks of fields are among them. */
const CONTROL = /\p{Cc}/gu;
const LINK = /^\s*HYPERLINK\s+(?!\\)["“”„]?([^"“”„\s]+)/;
/** Longer than any address. */
const MAX_ORDER = 4_096;

interface OpenField {
  readonly at: number;
  separator: number | undefined;
}

/** `end` is not included. */
export interface LetterRange {
  readonly begin: number;
  readonly end: number;
}

/** Returns the last range that begins at or before a place, or the first one. They are sorted. */
export function lastBegun<Range extends LetterRange>(
  ranges: readonly Range[],
  place: number,
): Range | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((ranges[middle]?.begin ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return ranges[low];
}

export interface LinkRange extends LetterRange {
  readonly target: string;
}

export interface Fields {
  /** Instructions are omitted from the text. Sorted by position; none is inside another. */
  readonly orders: readonly LetterRange[];
  /** The results of link instructions. */
  readonly links: readonly LinkRange[];
}

/** Ignores marks without a counterpart, so that a damaged document keeps its words. */
export function fieldsIn(letters: string): Fields {
  const open: OpenField[] = [];
  const orders: LetterRange[] = [];
  const links: LinkRange[] = [];
  for (const { 0: mark, index } of letters.matchAll(CONTROL)) {
    const field = open.at(-1);
    if (mark === BEGIN) open.push({ at: index, separator: undefined });
    if (mark === SEPARATOR && field !== undefined) field.separator ??= index;
    if (mark !== END || field === undefined) continue;
    open.pop();
    const order = { begin: field.at, end: (field.separator ?? index) + 1 };
    const target = targetOf(letters.slice(order.begin + 1, Math.min(order.end, order.begin + MAX_ORDER)));
    orders.push(order);
    if (target !== undefined) links.push({ begin: order.end, end: index, target });
  }
  return { orders: outermost(orders), links: links.toSorted((a, b) => a.begin - b.begin) };
}

function targetOf(order: string): string | undefined {
  return LINK.exec(order)?.[1];
}

function outermost(ranges: readonly LetterRange[]): readonly LetterRange[] {
  const kept: LetterRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.begin - b.begin))
    if (range.begin >= (kept.at(-1)?.end ?? 0)) kept.push(range);
  return kept;
}
