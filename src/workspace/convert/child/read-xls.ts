// Old workbooks where LibreOffice does not read them: each sheet under its name, as a table of what its cells hold.
import { type CellObject, CFB, read, utils, type WorkSheet } from '@e965/xlsx';
import { cellText } from './cell-text.ts';
import { kindName } from './document-kind.ts';
import { markdownTable } from './markdown-table.ts';
import { filledDown } from './merged-cells.ts';
import { numberFormat } from './number-format.ts';
import { sheetText } from './sheet-text.ts';
import { broken, locked } from './unreadable.ts';
import { areWholeRecords } from './workbook-records.ts';

export function readXls(bytes: Buffer): string {
  refuseNoise(bytes);
  const { SheetNames, Sheets } = workbook(bytes);
  return SheetNames.map((name) => {
    const sheet = Sheets[name];
    return sheetText(name, sheet === undefined ? '' : markdownTable(rowsOf(sheet)));
  }).join('\n\n');
}

/** The library reads noise as a workbook with nothing in it. */
function refuseNoise(bytes: Buffer): void {
  const container = CFB.read(bytes, { type: 'buffer' });
  const stream = CFB.find(container, '/Workbook') ?? CFB.find(container, '/Book');
  if (stream === null || !areWholeRecords(Buffer.from(stream.content))) throw broken(kindName('.xls'));
}

function rowsOf(sheet: WorkSheet): readonly (readonly string[])[] {
  const { s: from, e: to } = utils.decode_range(sheet['!ref'] ?? 'A1:A1');
  // It begins with its first cell, wherever that is.
  const rows = counted(from.r, to.r).map((r) =>
    counted(from.c, to.c).map((c) => {
      const cell: CellObject | undefined = sheet[utils.encode_cell({ r, c })];
      return cellText(cell?.v, typeof cell?.z === 'string' ? numberFormat(cell.z) : undefined);
    }),
  );
  const merged = (sheet['!merges'] ?? []).map(({ s, e }) => ({
    first: { x: s.c - from.c, y: s.r - from.r },
    lastRow: e.r - from.r,
  }));
  return filledDown(rows, merged);
}

function counted(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function workbook(bytes: Buffer) {
  try {
    return read(bytes, {
      type: 'buffer',
      dense: false,
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
