// A small writer of workbooks for tests.
import { escapedXml, officeFile, type Part, relations } from './ooxml.ts';

type XlsxCell =
  | string
  | number
  | boolean
  | Date
  | null
  | { readonly text: string; readonly link: string }
  | { readonly value: number; readonly format: string };

export interface XlsxSheet {
  readonly name: string;
  readonly rows: readonly (readonly XlsxCell[])[];
  /** `A1:A3` ... */
  readonly merged?: readonly string[];
  /** The XML of its charts, each with its description. */
  readonly charts?: readonly { readonly xml: string; readonly description: string }[];
}

const NAMESPACES =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DAY_MS = 86_400_000;
/** Day 0 of the calendar of workbooks. */
const EPOCH = Date.UTC(1899, 11, 30);
const DATE_STYLE = 1;
const BEFORE_A = 65;

export function xlsxOf(sheets: readonly XlsxSheet[], more: readonly Part[] = []): Promise<Buffer> {
  const list = sheets
    .map(
      ({ name }, index) =>
        `<sheet name="${escapedXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
    )
    .join('');
  const formats = [...new Set(sheets.flatMap(({ rows }) => rows.flat().flatMap(formatOf)))];
  return officeFile('xl/workbook.xml', [
    {
      name: 'xl/workbook.xml',
      type: `${TYPE}.sheet.main+xml`,
      text: `<workbook ${NAMESPACES}><sheets>${list}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      text: relations([
        ...sheets.map((_, index) => ({
          id: `rId${index + 1}`,
          type: 'worksheet',
          target: `worksheets/sheet${index + 1}.xml`,
        })),
        { id: 'rIdStyles', type: 'styles', target: 'styles.xml' },
      ]),
    },
    {
      name: 'xl/styles.xml',
      type: `${TYPE}.styles+xml`,
      text: stylesXml(formats),
    },
    ...sheets.flatMap((sheet, index) => sheetParts(sheet, index + 1, formats)),
    ...more,
  ]);
}

function formatOf(cell: XlsxCell): readonly string[] {
  return cell !== null && typeof cell === 'object' && 'format' in cell ? [cell.format] : [];
}

const FIRST_FORMAT = 164;
const OWN_STYLES = 2;

/** Returns styles with these number formats, after the two fixed styles. */
function stylesXml(formats: readonly string[]): string {
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${escapedXml(code)}"/>`,
  );
  const styles = formats.map((_, index) => `<xf numFmtId="${FIRST_FORMAT + index}" applyNumberFormat="1"/>`);
  return `<styleSheet ${NAMESPACES}><numFmts count="${codes.length}">${codes.join('')}</numFmts><cellXfs count="${OWN_STYLES + styles.length}"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/>${styles.join('')}</cellXfs></styleSheet>`;
}

function sheetParts(
  { rows, merged = [], charts = [] }: XlsxSheet,
  number: number,
  formats: readonly string[],
): readonly Part[] {
  const links: { readonly reference: string; readonly target: string }[] = [];
  const data = rows
    .map((row, y) => {
      const cells = row.map((cell, x) => {
        const reference = `${String.fromCharCode(BEFORE_A + x)}${y + 1}`;
        if (cell !== null && typeof cell === 'object' && 'link' in cell)
          links.push({ reference, target: cell.link });
        return cellXml(cell, reference, formats);
      });
      return `<row r="${y + 1}">${cells.join('')}</row>`;
    })
    .join('');
  const hyperlinks = links.map(
    ({ reference }, index) => `<hyperlink ref="${reference}" r:id="rId${index + 1}"/>`,
  );
  const mergedXml = merged.map((reference) => `<mergeCell ref="${reference}"/>`).join('');
  const mergedSection = merged.length === 0 ? '' : `<mergeCells>${mergedXml}</mergeCells>`;
  const section = links.length === 0 ? '' : `<hyperlinks>${hyperlinks.join('')}</hyperlinks>`;
  return [
    {
      name: `xl/worksheets/sheet${number}.xml`,
      type: `${TYPE}.worksheet+xml`,
      text: `<worksheet ${NAMESPACES}><sheetData>${data}</sheetData>${mergedSection}${section}${charts.length === 0 ? '' : '<drawing r:id="rIdDrawing"/>'}</worksheet>`,
    },
    {
      name: `xl/worksheets/_rels/sheet${number}.xml.rels`,
      text: relations([
        ...links.map(
          ({ target }, index) =>
            ({ id: `rId${index + 1}`, type: 'hyperlink', target, external: true }) as const,
        ),
        { id: 'rIdDrawing', type: 'drawing', target: `../drawings/drawing${number}.xml` },
      ]),
    },
    ...(charts.length === 0 ? [] : chartParts(charts, number)),
  ];
}

const DRAWING =
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

function chartParts(charts: NonNullable<XlsxSheet['charts']>, number: number): readonly Part[] {
  const name = (index: number) => `chart${number}_${index + 1}.xml`;
  const frames = charts.map(
    ({ description }, index) =>
      `<xdr:twoCellAnchor><xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="${index + 2}" name="Chart" descr="${escapedXml(description)}"/></xdr:nvGraphicFramePr><a:graphic><a:graphicData><c:chart r:id="rId${index + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:twoCellAnchor>`,
  );
  return [
    {
      name: `xl/drawings/drawing${number}.xml`,
      text: `<xdr:wsDr ${DRAWING}>${frames.join('')}</xdr:wsDr>`,
    },
    {
      name: `xl/drawings/_rels/drawing${number}.xml.rels`,
      text: relations(
        charts.map((_, index) => ({
          id: `rId${index + 1}`,
          type: 'chart',
          target: `../charts/${name(index)}`,
        })),
      ),
    },
    ...charts.map(({ xml }, index) => ({ name: `xl/charts/${name(index)}`, text: xml })),
  ];
}

function cellXml(cell: XlsxCell, reference: string, formats: readonly string[]): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (cell instanceof Date)
    return `<c r="${reference}" s="${DATE_STYLE}"><v>${(cell.getTime() - EPOCH) / DAY_MS}</v></c>`;
  if (typeof cell === 'object' && 'format' in cell)
    return `<c r="${reference}" s="${OWN_STYLES + formats.indexOf(cell.format)}"><v>${cell.value}</v></c>`;
  const text = typeof cell === 'string' ? cell : cell.text;
  return `<c r="${reference}" t="inlineStr"><is><t>${escapedXml(text)}</t></is></c>`;
}
