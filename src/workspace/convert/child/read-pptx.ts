// Reads presentations: each slide under its title, with bullets, tables, links and notes.
import { chartText } from './chart-text.ts';
import { kindName } from './document-kind.ts';
import { markdownTable, pictureText } from './markdown-blocks.ts';
import type { OfficeParts } from './office-parts.ts';
import {
  childrenOf,
  nodeAt,
  nodesBelow,
  parsedXml,
  type Relation,
  relationsOf,
  textOf,
  textOfRuns,
  type XmlNode,
} from './office-xml.ts';
import { latexFormula } from './omml-latex.ts';
import { createFooters, listText, type Paragraph, slideMarkdown } from './slide-markdown.ts';
import { broken } from './unreadable.ts';

const MAIN = 'ppt/presentation.xml';
const TITLES: ReadonlySet<string> = new Set(['title', 'ctrTitle']);
/** Text that appears on every slide and belongs to none. A footer is shown once. */
const FOOTER = 'ftr';
const FURNITURE: ReadonlySet<string> = new Set(['dt', FOOTER, 'sldNum', 'hdr']);

const SHAPES: ReadonlySet<string> = new Set(['sp', 'pic', 'graphicFrame']);

type Links = ReadonlyMap<string, Relation>;

export function readPptx(parts: OfficeParts): string {
  const relations = relationsOf(parts, MAIN);
  const footers = createFooters();
  const ids = childrenOf(nodeAt(parsedXml(parts, MAIN), 'presentation', 'sldIdLst'), 'sldId');
  const slides = ids.map(({ attributes }, index) => {
    // There are two ids, and the parser removes the namespace that marks the reference. The other one is a
    // number and finds no relation.
    const relation = Object.values(attributes)
      .map((id) => relations.get(id))
      .find((it) => it !== undefined);
    return readableSlide(parts, { name: relation?.target ?? '', number: index + 1, footers });
  });
  if (slides.length > 0 && slides.every((slide) => slide === undefined)) throw broken(kindName('.pptx'));
  return slides
    .map((slide, index) => slide ?? `## Slide ${index + 1}\n\n_This slide is damaged and could not be read._`)
    .join('\n\n');
}

/** Returns `undefined` for a damaged slide, so that the others are still read. */
function readableSlide(parts: OfficeParts, slide: SlidePart): string | undefined {
  try {
    return slideText(parts, slide);
  } catch (error) {
    // Out of memory or out of stack.
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

interface SlidePart {
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly footers: (text: string) => string;
}

function slideText(parts: OfficeParts, { name, number, footers }: SlidePart): string {
  const links = relationsOf(parts, name);
  const shapes = shapesOf(nodeAt(parsedXml(parts, name), 'sld', 'cSld', 'spTree'));
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape)));
  const blocks = shapes
    .filter((shape) => shape !== title && !FURNITURE.has(placeholderOf(shape)))
    .map((shape) => blockText(parts, shape, links));
  const footer = shapes
    .filter((shape) => placeholderOf(shape) === FOOTER)
    .map((shape) => footers(bodyText(shape, links)));
  return slideMarkdown({
    number,
    title: childrenOf(nodeAt(title, 'txBody'), 'p')
      .map((paragraph) => paragraphText(paragraph, new Map()))
      .join(' '),
    blocks: [...blocks, ...footer],
    notes: notesOf(parts, links),
  });
}

/** Returns all shapes in order: of a group its shapes, of alternatives the first one that has shapes. */
function shapesOf(tree: XmlNode | undefined): readonly XmlNode[] {
  return (tree?.children ?? []).flatMap((node) => {
    if (node.name === 'grpSp') return shapesOf(node);
    if (node.name === 'AlternateContent')
      return node.children.map(shapesOf).find((shapes) => shapes.length > 0) ?? [];
    return SHAPES.has(node.name) ? [node] : [];
  });
}

function placeholderOf(shape: XmlNode): string {
  return nodeAt(shape, 'nvSpPr', 'nvPr', 'ph')?.attributes.type ?? '';
}

function blockText(parts: OfficeParts, shape: XmlNode, links: Links): string {
  if (shape.name === 'pic') return pictureText(nodeAt(shape, 'nvPicPr', 'cNvPr')?.attributes.descr ?? '');
  if (shape.name === 'sp') return bodyText(shape, links);
  const data = nodeAt(shape, 'graphic', 'graphicData');
  const diagram = links.get(nodeAt(data, 'relIds')?.attributes.dm ?? '');
  if (diagram !== undefined) return diagramText(parts, diagram.target);
  const chart = nodeAt(data, 'chart');
  if (chart === undefined) return tableText(shape, links);
  const description = nodeAt(shape, 'nvGraphicFramePr', 'cNvPr')?.attributes.descr ?? '';
  return chartText(parts, links.get(chart.attributes.id ?? '')?.target ?? '', description).block;
}

function bodyText(shape: XmlNode, links: Links): string {
  return listText(
    childrenOf(nodeAt(shape, 'txBody'), 'p').map((paragraph) => ({
      text: paragraphText(paragraph, links),
      level: Number(nodeAt(paragraph, 'pPr')?.attributes.lvl ?? 0),
    })),
  );
}

function paragraphText(paragraph: XmlNode, links: Links): string {
  return paragraph.children
    .map((run) => {
      if (run.name === 'br') return ' ';
      if (run.name === 'm')
        return nodesBelow(run, 'oMath')
          .map((it) => `$${latexFormula(it)}$`)
          .join(' ');
      const text = textOf(nodeAt(run, 't'));
      const link = nodeAt(run, 'rPr', 'hlinkClick')?.attributes.id;
      const target = link === undefined ? undefined : links.get(link);
      return target?.type === 'hyperlink' && text.trim() !== '' ? `[${text}](${target.target})` : text;
    })
    .join('')
    .trim();
}

function tableText(frame: XmlNode, links: Links): string {
  const [table] = nodesBelow(frame, 'tbl');
  const rows: string[][] = [];
  for (const row of childrenOf(table, 'tr')) {
    const above = rows.at(-1) ?? [];
    const cells = childrenOf(row, 'tc').map((cell, column) =>
      // A cell over several rows repeats its text in each of them, because rows are read alone.
      isOn(cell.attributes.vMerge) ? (above[column] ?? '') : cellText(cell, links),
    );
    rows.push(cells);
  }
  return markdownTable(rows);
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function cellText(cell: XmlNode, links: Links): string {
  return childrenOf(nodeAt(cell, 'txBody'), 'p')
    .map((paragraph) => paragraphText(paragraph, links))
    .join('\n');
}

function notesOf(parts: OfficeParts, links: Links): readonly string[] {
  const notes = [...links.values()].find(({ type }) => type === 'notesSlide');
  if (notes === undefined) return [];
  return shapesOf(nodeAt(parsedXml(parts, notes.target), 'notes', 'cSld', 'spTree'))
    .filter((shape) => placeholderOf(shape) === 'body')
    .flatMap((shape) => childrenOf(nodeAt(shape, 'txBody'), 'p'))
    .map((paragraph) => paragraphText(paragraph, new Map()));
}

/** Points that only position others have types of their own. */
const SHOWN_NODES: ReadonlySet<string> = new Set(['node', 'asst', 'doc']);
const TREE = 'parOf';

/** Returns the texts of a diagram (SmartArt), nested as in the diagram. `name` is the part with its data. */
function diagramText(parts: OfficeParts, name: string): string {
  const model = nodeAt(parsedXml(parts, name), 'dataModel');
  const points = childrenOf(nodeAt(model, 'ptLst'), 'pt').filter(({ attributes }) =>
    SHOWN_NODES.has(attributes.type ?? 'node'),
  );
  const byId = new Map(points.map((point) => [point.attributes.modelId ?? '', point]));
  const connections = childrenOf(nodeAt(model, 'cxnLst'), 'cxn')
    .map(({ attributes }) => attributes)
    .filter(({ type = TREE }) => type === TREE)
    .sort((a, b) => Number(a.srcOrd ?? 0) - Number(b.srcOrd ?? 0));
  const below = Map.groupBy(connections, ({ srcId = '' }) => srcId);
  const paragraphs: Paragraph[] = [];
  // Each node is shown once, even if a hostile diagram nests it in itself.
  const addNode = (id: string, level: number): void => {
    const point = byId.get(id);
    if (point === undefined) return;
    byId.delete(id);
    const text = wordsOf(point);
    if (text !== '') paragraphs.push({ text, level });
    for (const { destId = '' } of below.get(id) ?? []) addNode(destId, text === '' ? level : level + 1);
  };
  for (const { attributes } of points) if (attributes.type === 'doc') addNode(attributes.modelId ?? '', 0);
  for (const id of [...byId.keys()]) addNode(id, 0);
  return listText(paragraphs);
}

function wordsOf(point: XmlNode): string {
  return nodesBelow(point, 'p').map(textOfRuns).join(' ').trim();
}
