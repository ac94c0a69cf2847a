// The charts of a sheet, which the reader of workbooks leaves out: a caption and a table each, in the order of the file.
import { chartText } from './chart-text.ts';
import type { OfficeParts } from './office-parts.ts';
import {
  nodeAt,
  nodesBelow,
  parsedSection,
  parsedXml,
  type Relation,
  relationsOf,
  sectionOf,
  type XmlNode,
} from './office-xml.ts';
import { pictureText } from './picture-text.ts';

const BEGINNING = /<(?:\w+:)?drawing\s/;
const END = />/;

/** Markdown, a chart each. */
export function sheetCharts(parts: OfficeParts, sheet: string): readonly string[] {
  // A sheet may be large; its cells are not read a second time.
  const section = sectionOf(parts.get(sheet)?.toString('utf8') ?? '', BEGINNING, END);
  if (section === undefined) return [];
  const id = nodeAt(parsedSection(section), 'drawing')?.attributes.id ?? '';
  const drawing = relationsOf(parts, sheet).get(id);
  if (drawing?.type !== 'drawing') return [];
  const links = relationsOf(parts, drawing.target);
  return nodesBelow(parsedXml(parts, drawing.target), 'graphicFrame').flatMap((frame) =>
    chartOf(parts, frame, links),
  );
}

/** A chart that cannot be read does not take the workbook along. */
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
