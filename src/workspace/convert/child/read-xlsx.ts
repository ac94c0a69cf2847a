// Workbooks: each sheet under its name, as a table; dates as dates, percent as percent, links of cells as links; its charts
// below.
import readWorkbook from 'read-excel-file/node';
import { markdownTable } from './markdown-blocks.ts';
import { type OfficeParts, plainZip } from './office-parts.ts';
import {
  cellFormats,
  cellKey,
  cellLinks,
  filledDown,
  mergedCells,
  sheetCharts,
  sheetParts,
  styleFormats,
} from './sheet-parts.ts';
import { cellText, sheetText } from './sheet-text.ts';

export async function readXlsx(parts: OfficeParts): Promise<string> {
  const sheets = await readWorkbook(await plainZip(parts));
  const names = sheetParts(parts);
  const styles = styleFormats(parts);
  return sheets
    .map(({ sheet, data }) => {
      const part = names.get(sheet) ?? '';
      const links = cellLinks(parts, part);
      const formats = cellFormats(parts, part, styles);
      const rows = data.map((row, y) =>
        row.map((value, x) => {
          const key = cellKey({ x, y });
          return linked(cellText(value, formats.get(key)), links.get(key));
        }),
      );
      const table = markdownTable(filledDown(rows, mergedCells(parts, part)));
      return [sheetText(sheet, table), ...sheetCharts(parts, part)].join('\n\n');
    })
    .join('\n\n');
}

function linked(text: string, target: string | undefined): string {
  return target === undefined || text === '' ? text : `[${text}](${target})`;
}
