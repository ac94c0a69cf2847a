// The links of the cells of a sheet, which the reader of workbooks leaves out.
import { cellKey, cellPlace } from './cell-places.ts';
import type { OfficeParts } from './office-parts.ts';
import { childrenOf, nodeAt, parsedSection, relationsOf, sectionOf } from './office-xml.ts';

const BEGINNING = /<(?:\w+:)?hyperlinks[\s>]/;
const END = /<\/(?:\w+:)?hyperlinks>/;

/** Addresses by the key of the cell. */
export function cellLinks(parts: OfficeParts, sheet: string): ReadonlyMap<string, string> {
  // A sheet may be large; its cells are not read a second time.
  const section = sectionOf(parts.get(sheet)?.toString('utf8') ?? '', BEGINNING, END);
  if (section === undefined) return new Map();
  const relations = relationsOf(parts, sheet);
  const root = parsedSection(section);
  const links = new Map<string, string>();
  for (const { attributes } of childrenOf(nodeAt(root, 'hyperlinks'), 'hyperlink')) {
    const place = cellPlace(attributes.ref ?? '');
    const relation = relations.get(attributes.id ?? '');
    if (place !== undefined && relation !== undefined) links.set(cellKey(place), relation.target);
  }
  return links;
}
