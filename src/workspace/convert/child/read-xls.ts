// Old workbooks where LibreOffice does not read them: each sheet under its name, as a table of what its cells hold.
import { read, utils } from 'xlsx';
import { cellText } from './cell-text.ts';
import { kindName } from './document-kind.ts';
import { markdownTable } from './markdown-table.ts';
import { sheetText } from './sheet-text.ts';
import { locked } from './unreadable.ts';

export function readXls(bytes: Buffer): string {
  const { SheetNames, Sheets } = workbook(bytes);
  return SheetNames.map((name) => {
    const sheet = Sheets[name];
    const rows: unknown[][] =
      sheet === undefined ? [] : utils.sheet_to_json(sheet, { header: 1, raw: true, defval: '' });
    return sheetText(name, markdownTable(rows.map((row) => row.map(cellText))));
  }).join('\n\n');
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
    });
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message)
      ? locked(kindName('.xls'))
      : error;
  }
}
