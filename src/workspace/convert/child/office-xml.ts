// XML of office documents as a tree, in the order of the file.
import { XMLParser } from 'fast-xml-parser';
import type { OfficeParts } from './office-parts.ts';

/** `name` has no namespace; `children` are in the order of the file; `text` is set for text nodes. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  readonly text: string;
}

const ATTRIBUTES = ':@';
const TEXT = '#text';
const MAX_LEVELS = 200;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  maxNestedTags: MAX_LEVELS,
  // Resolves characters by their numbers, too. Without it, only the five names of XML are resolved.
  htmlEntities: true,
});

/** Returns a node above the root of the part; one without children when the part is missing. */
export function parsedXml(parts: OfficeParts, name: string): XmlNode {
  return parsedSection(parts.get(name)?.toString('utf8') ?? '');
}

/** Returns a node above the root of a piece of a part. */
export function parsedSection(xml: string): XmlNode {
  const nodes: unknown = parser.parse(xml);
  return { name: '', attributes: {}, children: nodesOf(nodes), text: '' };
}

/**
 * Converts the parser's result: a list of objects with one key each, the name, and the attributes beside it.
 */
function nodesOf(list: unknown): readonly XmlNode[] {
  if (!Array.isArray(list)) return [];
  return list.map((it: object): XmlNode => {
    const entries = Object.entries(it);
    const [name = '', content] = entries.find(([key]) => key !== ATTRIBUTES) ?? [];
    const attributes = entries.find(([key]) => key === ATTRIBUTES)?.[1] ?? {};
    if (name === TEXT) return { name, attributes: {}, children: [], text: String(content) };
    return { name, attributes, children: nodesOf(content), text: '' };
  });
}

/** Returns the first piece from `beginning` to `end`, both included, to parse only a part of the text. */
export function sectionOf(xml: string, beginning: RegExp, end: RegExp): string | undefined {
  const start = beginning.exec(xml)?.index ?? xml.length;
  const rest = xml.slice(start);
  const close = end.exec(rest);
  return close === null ? undefined : rest.slice(0, close.index + close[0].length);
}

export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  return node?.children.filter((child) => child.name === name) ?? [];
}

/** Returns the first node at the end of a path of names. */
export function nodeAt(node: XmlNode | undefined, ...names: readonly string[]): XmlNode | undefined {
  return names.reduce<XmlNode | undefined>((at, name) => childrenOf(at, name)[0], node);
}

/** Returns the nodes of that name below, at any depth, but none inside another. */
export function nodesBelow(node: XmlNode, name: string): readonly XmlNode[] {
  return node.children.flatMap((child) => (child.name === name ? [child] : nodesBelow(child, name)));
}

/** Returns all text below. */
export function textOf(node: XmlNode | undefined): string {
  return node === undefined ? '' : node.text + node.children.map(textOf).join('');
}

/** Returns the text of all runs (`t`) in a paragraph. */
export function textOfRuns(paragraph: XmlNode): string {
  return nodesBelow(paragraph, 't').map(textOf).join('');
}

export interface Relation {
  readonly type: string;
  /** The name of a part, or an external address. */
  readonly target: string;
}

/** Returns what a part refers to, by id. Keeps the last word of the type: `slide`, `hyperlink`. */
export function relationsOf(parts: OfficeParts, name: string): ReadonlyMap<string, Relation> {
  const slash = name.lastIndexOf('/');
  const folder = name.slice(0, slash);
  const file = name.slice(slash + 1);
  const root = nodeAt(parsedXml(parts, `${folder}/_rels/${file}.rels`), 'Relationships');
  return new Map(
    childrenOf(root, 'Relationship').map(({ attributes }) => {
      const { Id = '', Type = '', Target = '', TargetMode } = attributes;
      const target = TargetMode === 'External' ? Target : resolved(folder, Target);
      return [Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target }];
    }),
  );
}

function resolved(folder: string, target: string): string {
  const names: string[] = [];
  for (const name of (target.startsWith('/') ? target : `${folder}/${target}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}
