// The links of the cells of a workbook, which its reader leaves out.
import type { OfficeParts } from './office-parts.ts';
import { childrenOf, nodeAt, parsedXml, relationsOf } from './office-xml.ts';

/** Addresses by `column:row`, both from 0. */
export type CellLinks = ReadonlyMap<string, string>;

const MAIN = 'xl/workbook.xml';
const SECTION = /<(?:\w+:)?hyperlinks[\s>][\s\S]*?<\/(?:\w+:)?hyperlinks>/;
const REFERENCE = /^([A-Z]{1,3})(\d{1,7})/;
const LETTERS = 26;
const BEFORE_A = 64;

/** By the name of the sheet. */
export function cellLinks(parts: OfficeParts): ReadonlyMap<string, CellLinks> {
  const relations = relationsOf(parts, MAIN);
  const sheets = childrenOf(nodeAt(parsedXml(parts, MAIN), 'workbook', 'sheets'), 'sheet');
  return new Map(
    sheets.map(({ attributes: { name = '', id = '' } }) => [
      name,
      linksOf(parts, relations.get(id)?.target ?? ''),
    ]),
  );
}

function linksOf(parts: OfficeParts, sheet: string): CellLinks {
  // A sheet may be large; its cells are not read a second time.
  const section = SECTION.exec(parts.get(sheet)?.toString('utf8') ?? '')?.[0];
  if (section === undefined) return new Map();
  const relations = relationsOf(parts, sheet);
  const root = parsedXml(new Map([['links', Buffer.from(section)]]), 'links');
  const links = new Map<string, string>();
  for (const { attributes } of childrenOf(nodeAt(root, 'hyperlinks'), 'hyperlink')) {
    const place = placeOf(attributes.ref ?? '');
    const relation = relations.get(attributes.id ?? '');
    if (place !== undefined && relation !== undefined) links.set(place, relation.target);
  }
  return links;
}

/** Of `B3` or `B3:C4`: the first cell. */
function placeOf(reference: string): string | undefined {
  const [, letters, row] = REFERENCE.exec(reference) ?? [];
  if (letters === undefined || row === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - BEFORE_A, 0);
  return `${column - 1}:${Number(row) - 1}`;
}
