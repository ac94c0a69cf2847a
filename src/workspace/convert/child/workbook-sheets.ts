// The sheets of a workbook, each as a table that shows dates, percentages and the links of cells.
import { type CellObject, read, SSF, type WorkSheet } from '@e965/xlsx';
import { markdownTable } from './markdown-blocks.ts';
import { cellText, dateOf, numberFormat, sheetText } from './sheet-text.ts';

interface Sheet {
  readonly name: string;
  /** Markdown. */
  readonly text: string;
}

/** Throws errors of the library for a damaged workbook. */
export function workbookSheets(bytes: Buffer): readonly Sheet[] {
  const { SheetNames, Sheets, Workbook } = read(bytes, {
    type: 'buffer',
    dense: true,
    cellHTML: false,
    cellFormula: false,
    bookVBA: false,
    // Dates are computed from numbers here: the library puts a time without a day on the next day.
    cellDates: false,
    cellNF: true,
  });
  const day0 = Workbook?.WBProps?.date1904 === true ? DAYS_TO_1904 : 0;
  return SheetNames.map((name) => {
    const sheet = Sheets[name];
    return { name, text: sheetText(name, sheet === undefined ? '' : markdownTable(rowsOf(sheet, day0))) };
  });
}

/** Some workbooks count their days from 1904. */
const DAYS_TO_1904 = 1_462;

/** Begins at the first column that has a cell. */
function rowsOf(sheet: WorkSheet, day0: number): readonly (readonly string[])[] {
  // The declared size of a sheet can be anything, so only its cells count.
  const cells: readonly (readonly CellObject[] | undefined)[] = sheet['!data'] ?? [];
  const left = cells.reduce((least, row) => Math.min(least, firstCell(row)), MAX_COLUMNS);
  const rows = Array.from(cells, (row) => Array.from(row?.slice(left) ?? [], (cell) => textOf(cell, day0)));
  const merged = (sheet['!merges'] ?? []).map(({ s, e }) => ({
    first: { x: s.c - left, y: s.r },
    lastRow: e.r,
  }));
  return filledDown(rows, merged);
}

/** The limit of the 2007 format. The older format has fewer. */
const MAX_COLUMNS = 16_384;

/** Arrays have holes where there are no cells. */
function firstCell(row: readonly (CellObject | undefined)[] | undefined): number {
  const first = row?.findIndex((cell) => cell !== undefined) ?? -1;
  return first < 0 ? MAX_COLUMNS : first;
}

function textOf(cell: CellObject | undefined, day0: number): string {
  if (cell === undefined) return '';
  const format = typeof cell.z === 'string' ? cell.z : '';
  const text = cellText(shownValue(cell, format, day0), numberFormat(format));
  const target = cell.l?.Target ?? '';
  // A link to another cell leads nowhere in Markdown.
  return target === '' || target.startsWith('#') || text === '' ? text : `[${text}](${target})`;
}

function shownValue({ t, v, w }: CellObject, format: string, day0: number): unknown {
  // An error such as `#DIV/0!`, whose value is a number.
  if (t === 'e') return w;
  return typeof v === 'number' && SSF.is_date(format) ? dateOf(v + day0) : v;
}

interface MergedCells {
  /** The cell with the text. */
  readonly first: { readonly x: number; readonly y: number };
  readonly lastRow: number;
}

/** A hostile workbook merges the same million rows a million times. */
const MAX_FILLED = 100_000;

/**
 * Repeats the text of a merged cell in each of its rows that has other content, because rows are read alone.
 * Keeps any text that is already there.
 */
function filledDown(
  rows: readonly (readonly string[])[],
  merged: readonly MergedCells[],
): readonly (readonly string[])[] {
  const filled = rows.map((row) => [...row]);
  let left = MAX_FILLED;
  for (const { first, lastRow } of merged) {
    const text = filled[first.y]?.[first.x] ?? '';
    if (text === '') continue;
    for (let y = first.y + 1; y <= lastRow && y < filled.length && left > 0; y++, left--) {
      const row = filled[y];
      if (row?.some((cell) => cell !== '') === true) row[first.x] ||= text;
    }
  }
  return filled;
}
