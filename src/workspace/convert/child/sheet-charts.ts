// The charts of a workbook, which its reader omits.
import { chartText } from './chart-text.ts';
import { pictureText } from './markdown-blocks.ts';
import type { OfficeParts } from './office-parts.ts';
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

const MAIN = 'xl/workbook.xml';

/** Returns the part of each sheet, by the name of the sheet. */
export function sheetParts(parts: OfficeParts): ReadonlyMap<string, string> {
  const relations = relationsOf(parts, MAIN);
  const sheets = childrenOf(nodeAt(parsedXml(parts, MAIN), 'workbook', 'sheets'), 'sheet');
  return new Map(
    sheets.map(({ attributes: { name = '', id = '' } }) => [name, relations.get(id)?.target ?? '']),
  );
}

const DRAWING = /<(?:\w+:)?drawing\s/;

/** Returns the Markdown of each chart. */
export function sheetCharts(parts: OfficeParts, sheet: string): readonly string[] {
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
    const { caption, table } = chartText(parts, link.target, description);
    return [table === '' ? caption : `${caption}\n\n${table}`];
  } catch {
    return [pictureText(description, 'Chart')];
  }
}
