// Old workbooks where LibreOffice does not read them: each sheet under its name, as a table of what its cells hold.
import { type CellObject, read, set_cptable, type WorkSheet } from '@e965/xlsx';
import type { CompoundFile } from './compound-file.ts';
import { kindName } from './document-kind.ts';
import { markdownTable } from './markdown-blocks.ts';
import { filledDown } from './sheet-parts.ts';
import { cellText, numberFormat, sheetText } from './sheet-text.ts';
import { broken, locked } from './unreadable.ts';

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

const BEGIN = 0x0809;
const END = 0x000a;
const HEAD_BYTES = 4;
/** Behind the last part, some programs fill up the stream. */
const PADDING = 0;

/** At least one part, every one of them closed, and nothing between them. */
function areWholeRecords(stream: Buffer): boolean {
  let depth = 0;
  let at = 0;
  while (at + HEAD_BYTES <= stream.length) {
    const kind = stream.readUInt16LE(at);
    if (depth === 0 && kind !== BEGIN) return at > 0 && kind === PADDING;
    if (kind === BEGIN) depth += 1;
    if (kind === END) depth -= 1;
    at += HEAD_BYTES + stream.readUInt16LE(at + 2);
  }
  return at > 0 && depth === 0 && at <= stream.length;
}
