// Reads workbooks: each sheet under its name, as a table with its charts below.
import { type OfficeParts, plainZip } from './office-parts.ts';
import { sheetCharts, sheetParts } from './sheet-charts.ts';
import { workbookSheets } from './workbook-sheets.ts';

export async function readXlsx(parts: OfficeParts): Promise<string> {
  const places = sheetParts(parts);
  return workbookSheets(await plainZip(parts))
    .map(({ name, text }) => [text, ...sheetCharts(parts, places.get(name) ?? '')].join('\n\n'))
    .join('\n\n');
}
