// What a workbook says of its sheets that its reader leaves out: links, number formats, merged cells and charts.
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
import { type NumberFormat, numberFormat } from './sheet-text.ts';

const MAIN = 'xl/workbook.xml';

/** The part of each sheet, by the name of the sheet. */
export function sheetParts(parts: OfficeParts): ReadonlyMap<string, string> {
  const relations = relationsOf(parts, MAIN);
  const sheets = childrenOf(nodeAt(parsedXml(parts, MAIN), 'workbook', 'sheets'), 'sheet');
  return new Map(
    sheets.map(({ attributes: { name = '', id = '' } }) => [name, relations.get(id)?.target ?? '']),
  );
}

interface CellPlace {
  /** From 0, as the row is. */
  readonly x: number;
  readonly y: number;
}

const REFERENCE = /^([A-Z]{1,3})(\d{1,7})/;
const LETTERS = 26;
const BEFORE_A = 64;

/** Of `B3` or `B3:C4`: the first cell. */
function cellPlace(reference: string): CellPlace | undefined {
  const [, letters, row] = REFERENCE.exec(reference) ?? [];
  if (letters === undefined || row === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - BEFORE_A, 0);
  return { x: column - 1, y: Number(row) - 1 };
}

/** The key of a cell in a map. */
export function cellKey({ x, y }: CellPlace): string {
  return `${x}:${y}`;
}

type Section = readonly [beginning: RegExp, end: RegExp];

/** A piece of the XML of a sheet, which may be large: its cells are not read a second time. */
function sheetSection(parts: OfficeParts, sheet: string, [beginning, end]: Section): string | undefined {
  return sectionOf(parts.get(sheet)?.toString('utf8') ?? '', beginning, end);
}

const LINKS: Section = [/<(?:\w+:)?hyperlinks[\s>]/, /<\/(?:\w+:)?hyperlinks>/];

/** Addresses by the key of the cell. */
export function cellLinks(parts: OfficeParts, sheet: string): ReadonlyMap<string, string> {
  const section = sheetSection(parts, sheet, LINKS);
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

/** By the number of the style. */
type StyleFormats = ReadonlyMap<string, NumberFormat>;

const STYLES = 'xl/styles.xml';
/** Formats that no workbook spells out; the currencies among them are those of the machine, which nobody knows. */
const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ['9', '0%'],
  ['10', '0.00%'],
  ['46', '[h]:mm:ss'],
]);

/** The styles whose format changes what a number means; most workbooks have few or none. */
export function styleFormats(parts: OfficeParts): StyleFormats {
  const root = nodeAt(parsedXml(parts, STYLES), 'styleSheet');
  const codes = new Map(BUILT_IN);
  for (const { attributes } of childrenOf(nodeAt(root, 'numFmts'), 'numFmt'))
    codes.set(attributes.numFmtId ?? '', attributes.formatCode ?? '');
  const formats = new Map<string, NumberFormat>();
  for (const [style, { attributes }] of childrenOf(nodeAt(root, 'cellXfs'), 'xf').entries()) {
    const code = codes.get(attributes.numFmtId ?? '');
    const format = code === undefined ? undefined : numberFormat(code);
    if (format !== undefined) formats.set(String(style), format);
  }
  return formats;
}

const CELL = /<(?:\w+:)?c\s([^<>]+)>/g;
const PLACE = /(?:^|\s)r="([A-Z]+\d+)"/;
const STYLE = /(?:^|\s)s="(\d+)"/;

/** By the key of the cell: those in one of the styles. */
export function cellFormats(
  parts: OfficeParts,
  sheet: string,
  styles: StyleFormats,
): ReadonlyMap<string, NumberFormat> {
  const found = new Map<string, NumberFormat>();
  if (styles.size === 0) return found;
  for (const [, attributes = ''] of (parts.get(sheet)?.toString('utf8') ?? '').matchAll(CELL)) {
    const format = styles.get(STYLE.exec(attributes)?.[1] ?? '');
    const place = format && cellPlace(PLACE.exec(attributes)?.[1] ?? '');
    if (format !== undefined && place !== undefined) found.set(cellKey(place), format);
  }
  return found;
}

interface MergedCells {
  /** Where the text is. */
  readonly first: CellPlace;
  readonly lastRow: number;
}

const MERGES: Section = [/<(?:\w+:)?mergeCells[\s>]/, /<\/(?:\w+:)?mergeCells>/];
const MERGED = /\sref="([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})"/g;
/** A hostile workbook merges the same million rows a million times. */
const MAX_FILLED = 100_000;

/** Those over several rows, of the part of a workbook that is a sheet. */
export function mergedCells(parts: OfficeParts, sheet: string): readonly MergedCells[] {
  const section = sheetSection(parts, sheet, MERGES) ?? '';
  return [...section.matchAll(MERGED)].flatMap(([, from = '', to = '']) => {
    const first = cellPlace(from);
    const last = cellPlace(to);
    return first !== undefined && last !== undefined && last.y > first.y ? [{ first, lastRow: last.y }] : [];
  });
}

/**
 * The same rows, with the text of such a cell in each of its rows that holds something else, too: a row is read alone.
 * What somebody left below it stays.
 */
export function filledDown(
  rows: readonly (readonly string[])[],
  merged: readonly MergedCells[],
): readonly (readonly string[])[] {
  const filled = rows.map((row) => [...row]);
  let left = MAX_FILLED;
  for (const { first, lastRow } of merged) {
    const text = filled[first.y]?.[first.x] ?? '';
    if (text === '') continue;
    for (let y = first.y + 1; y <= lastRow && y < filled.length && left > 0; y++, left--) {
      const row = filled[y];
      if (row?.some((cell) => cell !== '') === true) row[first.x] ||= text;
    }
  }
  return filled;
}

const DRAWING: Section = [/<(?:\w+:)?drawing\s/, />/];

/** Markdown, a chart each. */
export function sheetCharts(parts: OfficeParts, sheet: string): readonly string[] {
  const section = sheetSection(parts, sheet, DRAWING);
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
