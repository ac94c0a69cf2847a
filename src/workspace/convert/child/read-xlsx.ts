// Reads workbooks: each sheet under its name, as a table with its charts below.
import { chartText } from './chart-text.ts';
import { pictureText } from './markdown-blocks.ts';
import { type OfficeParts, plainZip } from './office-parts.ts';
import {
  childrenOf,
  nodeAt,
  nodesBelow,
  parsedSection,
  parsedXml,
  type Relation,
  relationsOf,
  sectionOf,
  type XmlNode,
} from './office-xml.ts';
import { workbookSheets } from './workbook-sheets.ts';

const MAIN = 'xl/workbook.xml';

export async function readXlsx(parts: OfficeParts): Promise<string> {
  const places = sheetParts(parts);
  return workbookSheets(await plainZip(parts))
    .map(({ name, text }) => [text, ...sheetCharts(parts, places.get(name) ?? '')].join('\n\n'))
    .join('\n\n');
}

/** Returns the part of each sheet, by the name of the sheet. */
function sheetParts(parts: OfficeParts): ReadonlyMap<string, string> {
  const relations = relationsOf(parts, MAIN);
  const sheets = childrenOf(nodeAt(parsedXml(parts, MAIN), 'workbook', 'sheets'), 'sheet');
  return new Map(
    sheets.map(({ attributes: { name = '', id = '' } }) => [name, relations.get(id)?.target ?? '']),
  );
}

const DRAWING = /<(?:\w+:)?drawing\s/;

/** Returns the Markdown of each chart. */
function sheetCharts(parts: OfficeParts, sheet: string): readonly string[] {
  // A sheet may be large, so its cells are not parsed a second time.
  const section = sectionOf(parts.get(sheet)?.toString('utf8') ?? '', DRAWING, />/);
  if (section === undefined) return [];
  const id = nodeAt(parsedSection(section), 'drawing')?.attributes.id ?? '';
  const drawing = relationsOf(parts, sheet).get(id);
  if (drawing?.type !== 'drawing') return [];
  const links = relationsOf(parts, drawing.target);
  return nodesBelow(parsedXml(parts, drawing.target), 'graphicFrame').flatMap((frame) =>
    chartOf(parts, frame, links),
  );
}

/** A chart that cannot be read must not fail the workbook. */
function chartOf(
  parts: OfficeParts,
  frame: XmlNode,
  links: ReadonlyMap<string, Relation>,
): readonly string[] {
  const [chart] = nodesBelow(frame, 'chart');
  const link = links.get(chart?.attributes.id ?? '');
  if (link?.type !== 'chart') return [];
  const description = nodeAt(frame, 'nvGraphicFramePr', 'cNvPr')?.attributes.descr ?? '';
  try {
    return [chartText(parts, link.target, description).block];
  } catch {
    return [pictureText(description, 'Chart')];
  }
}
