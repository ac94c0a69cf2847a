// How the numbers of a workbook are shown, which its reader leaves out.
import { cellKey, cellPlace } from './cell-places.ts';
import { type NumberFormat, numberFormat } from './number-format.ts';
import type { OfficeParts } from './office-parts.ts';
import { childrenOf, nodeAt, parsedXml } from './office-xml.ts';

/** By the number of the style. */
export type StyleFormats = ReadonlyMap<string, NumberFormat>;

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
