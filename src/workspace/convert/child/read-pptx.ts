// Presentations: each slide under its title, with bullets, tables, links and notes.
import { markdownTable } from './markdown-table.ts';
import type { OfficeParts } from './office-parts.ts';
import {
  childrenOf,
  nodeAt,
  nodesBelow,
  parsedXml,
  type Relation,
  relationsOf,
  textOf,
  type XmlNode,
} from './office-xml.ts';
import { pictureText } from './picture-text.ts';

const MAIN = 'ppt/presentation.xml';
const TITLES: ReadonlySet<string> = new Set(['title', 'ctrTitle']);
/** Text that stands on every slide, and belongs to none. */
const FURNITURE: ReadonlySet<string> = new Set(['dt', 'ftr', 'sldNum', 'hdr']);

const SHAPES: ReadonlySet<string> = new Set(['sp', 'pic', 'graphicFrame']);

type Links = ReadonlyMap<string, Relation>;

export function readPptx(parts: OfficeParts): string {
  const relations = relationsOf(parts, MAIN);
  const ids = childrenOf(nodeAt(parsedXml(parts, MAIN), 'presentation', 'sldIdLst'), 'sldId');
  return ids
    .map(({ attributes }, index) => {
      // Of the two ids, the one that refers stands under its namespace, which is gone here: it is not a number.
      const relation = Object.values(attributes)
        .map((id) => relations.get(id))
        .find((it) => it !== undefined);
      return slideText(parts, relation?.target ?? '', index + 1);
    })
    .join('\n\n');
}

function slideText(parts: OfficeParts, name: string, number: number): string {
  const links = relationsOf(parts, name);
  const shapes = shapesOf(nodeAt(parsedXml(parts, name), 'sld', 'cSld', 'spTree'));
  const title = shapes.find((shape) => TITLES.has(placeholderOf(shape)));
  const titleText = textOf(nodeAt(title, 'txBody')).replace(/\s+/g, ' ').trim();
  const blocks = shapes
    .filter((shape) => shape !== title && !FURNITURE.has(placeholderOf(shape)))
    .map((shape) => blockText(shape, links));
  const heading = titleText === '' ? `## Slide ${number}` : `## Slide ${number}: ${titleText}`;
  return [heading, ...blocks, notesText(parts, links)].filter((block) => block !== '').join('\n\n');
}

/** Shapes of groups in the place of the groups. */
function shapesOf(tree: XmlNode | undefined): readonly XmlNode[] {
  return (tree?.children ?? []).flatMap((node) => {
    if (node.name === 'grpSp') return shapesOf(node);
    return SHAPES.has(node.name) ? [node] : [];
  });
}

function placeholderOf(shape: XmlNode): string {
  return nodeAt(shape, 'nvSpPr', 'nvPr', 'ph')?.attributes.type ?? '';
}

function blockText(shape: XmlNode, links: Links): string {
  if (shape.name === 'pic') return pictureText(nodeAt(shape, 'nvPicPr', 'cNvPr')?.attributes.descr ?? '');
  if (shape.name === 'sp') return bodyText(shape, links);
  if (nodesBelow(shape, 'chart').length === 0) return tableText(shape, links);
  return pictureText(nodeAt(shape, 'nvGraphicFramePr', 'cNvPr')?.attributes.descr ?? '', 'Chart');
}

/** Bullets as deep as their level; one paragraph alone is text. */
function bodyText(shape: XmlNode, links: Links): string {
  const paragraphs = childrenOf(nodeAt(shape, 'txBody'), 'p')
    .map((paragraph) => ({
      text: paragraphText(paragraph, links),
      level: Number(nodeAt(paragraph, 'pPr')?.attributes.lvl ?? 0),
    }))
    .filter(({ text }) => text !== '');
  const [only] = paragraphs;
  if (paragraphs.length === 1 && only !== undefined) return only.text;
  return paragraphs.map(({ text, level }) => `${'  '.repeat(level)}- ${text}`).join('\n');
}

function paragraphText(paragraph: XmlNode, links: Links): string {
  return paragraph.children
    .map((run) => {
      if (run.name === 'br') return ' ';
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
      // One over several rows says the same in each of them: a row is read alone.
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

function notesText(parts: OfficeParts, links: Links): string {
  const notes = [...links.values()].find(({ type }) => type === 'notesSlide');
  if (notes === undefined) return '';
  const text = shapesOf(nodeAt(parsedXml(parts, notes.target), 'notes', 'cSld', 'spTree'))
    .filter((shape) => placeholderOf(shape) === 'body')
    .flatMap((shape) => childrenOf(nodeAt(shape, 'txBody'), 'p'))
    .map((paragraph) => paragraphText(paragraph, new Map()))
    .filter((line) => line !== '');
  return text.length === 0 ? '' : ['> Notes:', ...text.map((line) => `> ${line}`)].join('\n');
}
