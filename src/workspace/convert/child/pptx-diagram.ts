// Diagrams of presentations (SmartArt): their texts, as deep as they stand below each other.
import type { OfficeParts } from './office-parts.ts';
import { childrenOf, nodeAt, nodesBelow, parsedXml, textOf, type XmlNode } from './office-xml.ts';
import { listText, type Paragraph } from './slide-markdown.ts';

/** Points that only place others have a type of their own. */
const TOLD: ReadonlySet<string> = new Set(['node', 'asst', 'doc']);
const TREE = 'parOf';

/** Of the part that has the data of a diagram. */
export function diagramText(parts: OfficeParts, name: string): string {
  const model = nodeAt(parsedXml(parts, name), 'dataModel');
  const points = childrenOf(nodeAt(model, 'ptLst'), 'pt').filter(({ attributes }) =>
    TOLD.has(attributes.type ?? 'node'),
  );
  const byId = new Map(points.map((point) => [point.attributes.modelId ?? '', point]));
  const below = childrenById(childrenOf(nodeAt(model, 'cxnLst'), 'cxn'));
  const paragraphs: Paragraph[] = [];
  // Each is told once, also where a hostile diagram has it below itself.
  const tell = (id: string, level: number): void => {
    const point = byId.get(id);
    if (point === undefined) return;
    byId.delete(id);
    const text = wordsOf(point);
    if (text !== '') paragraphs.push({ text, level });
    for (const child of below.get(id) ?? []) tell(child, text === '' ? level : level + 1);
  };
  for (const { attributes } of points) if (attributes.type === 'doc') tell(attributes.modelId ?? '', 0);
  for (const id of [...byId.keys()]) tell(id, 0);
  return listText(paragraphs);
}

function childrenById(connections: readonly XmlNode[]): ReadonlyMap<string, readonly string[]> {
  const below = new Map<string, string[]>();
  const ordered = connections
    .map(({ attributes }) => attributes)
    .filter(({ type = TREE }) => type === TREE)
    .sort((a, b) => Number(a.srcOrd ?? 0) - Number(b.srcOrd ?? 0));
  for (const { srcId = '', destId = '' } of ordered) {
    const children = below.get(srcId) ?? [];
    children.push(destId);
    below.set(srcId, children);
  }
  return below;
}

function wordsOf(point: XmlNode): string {
  const paragraphs = nodesBelow(point, 'p').map((it) => nodesBelow(it, 't').map(textOf).join(''));
  return paragraphs.join(' ').trim();
}
