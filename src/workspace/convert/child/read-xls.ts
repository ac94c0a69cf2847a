// Old workbooks where LibreOffice does not read them: each sheet under its name, as a table of what its cells hold.
import { type CellObject, read, set_cptable, type WorkSheet } from '@e965/xlsx';
import { cellText } from './cell-text.ts';
import type { CompoundFile } from './compound-file.ts';
import { kindName } from './document-kind.ts';
import { markdownTable } from './markdown-table.ts';
import { filledDown } from './merged-cells.ts';
import { numberFormat } from './number-format.ts';
import { sheetText } from './sheet-text.ts';
import { broken, locked } from './unreadable.ts';
import { areWholeRecords } from './workbook-records.ts';

/** Throws `Unreadable`, and whatever the library throws at a damaged workbook. */
export async function readXls(file: CompoundFile): Promise<string> {
  const stream = file.stream('Workbook') ?? file.stream('Book');
  // The library reads noise as a workbook with nothing in it, and follows a container in circles: it gets the records alone.
  if (stream === undefined || !areWholeRecords(stream)) throw broken(kindName('.xls'));
  if (file.stream('Workbook') === undefined) await useCodePages();
  const { SheetNames, Sheets } = workbook(stream);
  return SheetNames.map((name) => {
    const sheet = Sheets[name];
    return sheetText(name, sheet === undefined ? '' : markdownTable(rowsOf(sheet)));
  }).join('\n\n');
}

/** Letters of Excel 5 and 95 are those of one of many alphabets. */
async function useCodePages(): Promise<void> {
  set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
}

/** From the first column with a cell on. */
function rowsOf(sheet: WorkSheet): readonly (readonly string[])[] {
  // What a sheet says of its size may be anything: its cells count.
  const cells: readonly (readonly CellObject[] | undefined)[] = sheet['!data'] ?? [];
  const left = Math.min(...Array.from(cells, firstCell), MAX_COLUMNS);
  const rows = Array.from(cells, (row) => Array.from(row?.slice(left) ?? [], textOf));
  const merged = (sheet['!merges'] ?? []).map(({ s, e }) => ({
    first: { x: s.c - left, y: s.r },
    lastRow: e.r,
  }));
  return filledDown(rows, merged);
}

/** Of the format. */
const MAX_COLUMNS = 256;

/** Arrays have holes where there are no cells. */
function firstCell(row: readonly (CellObject | undefined)[] | undefined): number {
  const first = row?.findIndex((cell) => cell !== undefined) ?? -1;
  return first < 0 ? MAX_COLUMNS : first;
}

function textOf(cell: CellObject | undefined): string {
  return cellText(cell?.v, typeof cell?.z === 'string' ? numberFormat(cell.z) : undefined);
}

function workbook(bytes: Buffer) {
  try {
    return read(bytes, {
      type: 'buffer',
      dense: true,
      cellHTML: false,
      cellFormula: false,
      bookVBA: false,
      cellDates: true,
      cellNF: true,
    });
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message)
      ? locked(kindName('.xls'))
      : error;
  }
}
