// The parts of a workbook in which its sheets are.
import type { OfficeParts } from './office-parts.ts';
import { childrenOf, nodeAt, parsedXml, relationsOf } from './office-xml.ts';

const MAIN = 'xl/workbook.xml';

/** The part of each sheet, by the name of the sheet. */
export function sheetParts(parts: OfficeParts): ReadonlyMap<string, string> {
  const relations = relationsOf(parts, MAIN);
  const sheets = childrenOf(nodeAt(parsedXml(parts, MAIN), 'workbook', 'sheets'), 'sheet');
  return new Map(
    sheets.map(({ attributes: { name = '', id = '' } }) => [name, relations.get(id)?.target ?? '']),
  );
}
