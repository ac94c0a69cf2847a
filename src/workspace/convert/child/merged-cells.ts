// Cells of a sheet that are one cell over several rows.
import { type CellPlace, cellPlace } from './cell-places.ts';
import type { OfficeParts } from './office-parts.ts';
import { sectionOf } from './office-xml.ts';

export interface MergedCells {
  /** Where the text is. */
  readonly first: CellPlace;
  readonly lastRow: number;
}

const BEGINNING = /<(?:\w+:)?mergeCells[\s>]/;
const END = /<\/(?:\w+:)?mergeCells>/;
const MERGED = /\sref="([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})"/g;
/** A hostile workbook merges the same million rows a million times. */
const MAX_FILLED = 100_000;

/** Those over several rows, of the part of a workbook that is a sheet. */
export function mergedCells(parts: OfficeParts, sheet: string): readonly MergedCells[] {
  const section = sectionOf(parts.get(sheet)?.toString('utf8') ?? '', BEGINNING, END) ?? '';
  return [...section.matchAll(MERGED)].flatMap(([, from = '', to = '']) => {
    const first = cellPlace(from);
    const last = cellPlace(to);
    return first !== undefined && last !== undefined && last.y > first.y ? [{ first, lastRow: last.y }] : [];
  });
}

/**
 * The same rows, with the text of such a cell in each of its rows that holds something else, too: a row is read alone.
 * What somebody left below it stays.
 */
export function filledDown(
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
