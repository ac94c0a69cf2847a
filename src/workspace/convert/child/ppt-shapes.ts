// The shapes on a slide of an old presentation: texts, tables and pictures, in the order of the file. Pure.
import { CSTRING } from './ppt-document.ts';
import { childOf, numberIn, type PptRecord, recordsIn, textIn } from './ppt-records.ts';

export type PptShape =
  | {
      readonly kind: 'text';
      /** Its own records, or the index of a text in the outline. */
      readonly text: readonly PptRecord[] | number;
      readonly isFooter: boolean;
    }
  | { readonly kind: 'picture'; readonly description: string }
  /** A row lists the records of each cell. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly PptRecord[])[])[] };

const DRAWING = 1036;
const DRAWING_CONTAINER = 0xf002;
const GROUP = 0xf003;
const SHAPE = 0xf004;
const SHAPE_ATOM = 0xf00a;
const PROPERTIES = 0xf00b;
const TEXT = 0xf00d;
const OUTLINE_TEXT = 3998;
const PLACE = 0xf00f;
const CLIENT_DATA = 0xf011;
const FURTHER_PROPERTIES = 0xf122;
const PLACEHOLDER = 3011;
const PLACEHOLDER_ID_AT = 4;
/** Dates, numbers and headers, which appear on every slide and belong to none. */
const FURNITURE: ReadonlySet<number> = new Set([7, 8, 10]);
const FOOTER = 9;
const HEADERS_FOOTERS = 4057;
const HEADERS_FOOTERS_ATOM = 4058;
/** The flags follow a number of two bytes. */
const HAS_FOOTER = 0x20_0000;
const FOOTER_WORDS = 2;
const PICTURE = 75;
const TABLE_PROPERTY = 0x39f;
const DESCRIPTION_PROPERTY = 0x381;
const PROPERTY_BYTES = 6;
const IS_LONG = 0x8000;
const ID_BITS = 0x3fff;
const MAX_DEPTH = 50;

/** Returns the shapes of a slide, or of its notes. */
export function pptShapes(sheet: PptRecord): readonly PptShape[] {
  const drawing = childOf(childOf(sheet, DRAWING), DRAWING_CONTAINER);
  return drawing === undefined ? [] : shapesIn(drawing, 0);
}

function shapesIn(group: PptRecord, depth: number): readonly PptShape[] {
  if (!group.holdsRecords || depth > MAX_DEPTH) return [];
  const shapes: PptShape[] = [];
  for (const record of recordsIn(group.content)) {
    if (record.kind === GROUP) shapes.push(...(tableIn(record) ?? shapesIn(record, depth + 1)));
    if (record.kind === SHAPE) shapes.push(...shapeOf(record));
  }
  return shapes;
}

function shapeOf(shape: PptRecord): readonly PptShape[] {
  const placeholder = numberIn(childOf(childOf(shape, CLIENT_DATA), PLACEHOLDER), PLACEHOLDER_ID_AT);
  const id = placeholder & 0xff;
  if (FURNITURE.has(id)) return [];
  const text = textOf(shape);
  if (text !== undefined) return [{ kind: 'text', text, isFooter: id === FOOTER }];
  if (childOf(shape, SHAPE_ATOM)?.instance !== PICTURE) return [];
  return [{ kind: 'picture', description: descriptionOf(childOf(shape, PROPERTIES)) }];
}

function textOf(shape: PptRecord): readonly PptRecord[] | number | undefined {
  const box = childOf(shape, TEXT);
  if (box === undefined) return undefined;
  const outline = childOf(box, OUTLINE_TEXT);
  return outline === undefined ? [...recordsIn(box.content)] : numberIn(outline, 0);
}

/** A table is a group that is marked as one, of shapes whose edges meet. */
function tableIn(group: PptRecord): readonly PptShape[] | undefined {
  const shapes = [...recordsIn(group.content)].filter(({ kind }) => kind === SHAPE);
  const further = properties(childOf(shapes[0], FURTHER_PROPERTIES));
  if (!further.some(({ id, value }) => id === TABLE_PROPERTY && value % 2 === 1)) return undefined;
  const cells = shapes.flatMap((shape) => {
    const place = childOf(shape, PLACE);
    const text = textOf(shape);
    if (place === undefined || text === undefined || typeof text === 'number') return [];
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((at) => numberIn(place, at) | 0);
    return [{ left, top, right, bottom, content: text }];
  });
  const rows = gridOf(cells);
  return rows === undefined
    ? undefined
    : [{ kind: 'table', rows: rows.map((row) => row.map((cell) => cell ?? [])) }];
}

/** Returns the slide's own footer; empty when it has none. */
export function pptFooter(slide: PptRecord): string {
  const said = childOf(slide, HEADERS_FOOTERS);
  const flags = numberIn(childOf(said, HEADERS_FOOTERS_ATOM), 0);
  return (flags & HAS_FOOTER) === 0 ? '' : textIn(childOf(said, CSTRING, FOOTER_WORDS));
}

interface Property {
  readonly id: number;
  /** For a long property, the number of bytes that it has after all properties. */
  readonly value: number;
  readonly isLong: boolean;
}

function properties(record: PptRecord | undefined): readonly Property[] {
  if (record === undefined) return [];
  const { instance, content: bytes } = record;
  const count = Math.min(instance, Math.floor(bytes.length / PROPERTY_BYTES));
  return Array.from({ length: count }, (_, index) => {
    const said = bytes.readUInt16LE(index * PROPERTY_BYTES);
    const value = bytes.readUInt32LE(index * PROPERTY_BYTES + 2);
    return { id: said & ID_BITS, value, isLong: (said & IS_LONG) !== 0 };
  });
}

function descriptionOf(record: PptRecord | undefined): string {
  const all = properties(record);
  let at = all.length * PROPERTY_BYTES;
  for (const { id, value, isLong } of all) {
    if (!isLong) continue;
    if (id === DESCRIPTION_PROPERTY)
      return record?.content.toString('utf16le', at, at + value).replace(/\0/g, '') ?? '';
    at += value;
  }
  return '';
}

interface PlacedCell<Content> {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly content: Content;
}

/** No table made by hand is larger. */
const MAX_CELLS = 5_000;

/**
 * Arranges cells as the rows of a table. A cell over several rows appears in each of them, because rows are
 * read alone. Returns `undefined` for too many cells, or none.
 */
function gridOf<Content>(
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
