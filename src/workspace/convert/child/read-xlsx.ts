// Workbooks: each sheet under its name, as a table; dates as dates, links of cells as links.
import readWorkbook from 'read-excel-file/node';
import { type CellLinks, cellLinks } from './cell-links.ts';
import { cellText } from './cell-text.ts';
import { markdownTable } from './markdown-table.ts';
import { type OfficeParts, plainZip } from './office-parts.ts';
import { sheetText } from './sheet-text.ts';

export async function readXlsx(parts: OfficeParts): Promise<string> {
  const sheets = await readWorkbook(await plainZip(parts));
  const links = cellLinks(parts);
  return sheets
    .map(({ sheet, data }) => {
      const rows = data.map((row, y) =>
        row.map((value, x) => linked(cellText(value), { x, y }, links.get(sheet))),
      );
      return sheetText(sheet, markdownTable(rows));
    })
    .join('\n\n');
}

function linked(
  text: string,
  { x, y }: { readonly x: number; readonly y: number },
  links: CellLinks | undefined,
): string {
  const target = links?.get(`${x}:${y}`);
  return target === undefined || text === '' ? text : `[${text}](${target})`;
}
