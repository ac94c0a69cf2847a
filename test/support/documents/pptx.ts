// A small writer of presentations for tests.
import { escapedXml, officeFile, type Part, relations, withParts } from './ooxml.ts';

export interface PptxSlide {
  readonly title?: string;
  readonly bullets?: readonly (
    | string
    | { readonly level: number; readonly text: string; readonly link?: string }
  )[];
  /** `null`: the cell above spans this row, too. */
  readonly table?: readonly (readonly (string | null)[])[];
  /** Pictures, by their descriptions. */
  readonly pictures?: readonly string[];
  readonly notes?: string;
  /** Shapes as verbatim XML. */
  readonly shapes?: string;
  /** Parts that the slide refers to, by the id of the relation. */
  readonly refersTo?: readonly { readonly id: string; readonly type: string; readonly target: string }[];
  readonly footer?: string;
  /** Whether the slide shows its number. */
  readonly numbered?: true;
}

const NAMESPACES =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"';
const TYPE = 'application/vnd.openxmlformats-officedocument.presentationml';
const FIRST_ID = 256;

/**
 * Returns the file; `more` are additional parts, or replacements of its own. It stores the slides in reverse
 * order, as after they were moved.
 */
export function pptxOf(slides: readonly PptxSlide[], more: readonly Part[] = []): Promise<Buffer> {
  const numbers = slides.map((_, index) => slides.length - index);
  const list = numbers
    .map((number, index) => `<p:sldId id="${FIRST_ID + index}" r:id="rId${number}"/>`)
    .join('');
  const own: readonly Part[] = [
    {
      name: 'ppt/presentation.xml',
      type: `${TYPE}.presentation.main+xml`,
      text: `<p:presentation ${NAMESPACES}><p:sldIdLst>${list}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      text: relations(
        numbers.map((number) => ({ id: `rId${number}`, type: 'slide', target: `slides/slide${number}.xml` })),
      ),
    },
    ...slides.flatMap((slide, index) => slideParts(slide, numbers[index] ?? 0)),
  ];
  return officeFile('ppt/presentation.xml', withParts(own, more));
}

function slideParts(
  {
    title,
    bullets = [],
    table,
    pictures = [],
    notes,
    shapes: own = '',
    refersTo = [],
    footer,
    numbered,
  }: PptxSlide,
  number: number,
): readonly Part[] {
  const links: string[] = [];
  const paragraphs = bullets.map((bullet) => {
    const { level, text, link } =
      typeof bullet === 'string' ? { level: 0, text: bullet, link: undefined } : bullet;
    const id = link === undefined ? undefined : `rLink${links.push(link) - 1}`;
    return paragraph(text, { level, ...(id !== undefined && { id }) });
  });
  const shapes = [
    title === undefined ? '' : shape('title', paragraph(title)),
    bullets.length === 0 ? '' : shape('body', paragraphs.join('')),
    table === undefined ? '' : tableXml(table),
    ...pictures.map(pictureXml),
    own,
    footer === undefined ? '' : shape('ftr', paragraph(footer)),
    numbered === true ? shape('sldNum', paragraph(String(number))) : '',
  ].join('');
  const noteParts: readonly Part[] =
    notes === undefined
      ? []
      : [
          {
            name: `ppt/notesSlides/notesSlide${number}.xml`,
            type: `${TYPE}.notesSlide+xml`,
            text: `<p:notes ${NAMESPACES}>${treeXml(shape('body', paragraph(notes)))}</p:notes>`,
          },
        ];
  return [
    {
      name: `ppt/slides/slide${number}.xml`,
      type: `${TYPE}.slide+xml`,
      text: `<p:sld ${NAMESPACES}>${treeXml(shapes)}</p:sld>`,
    },
    {
      name: `ppt/slides/_rels/slide${number}.xml.rels`,
      text: relations([
        ...links.map(
          (target, index) => ({ id: `rLink${index}`, type: 'hyperlink', target, external: true }) as const,
        ),
        ...refersTo,
        ...(notes === undefined
          ? []
          : [{ id: 'rNotes', type: 'notesSlide', target: `../notesSlides/notesSlide${number}.xml` }]),
      ]),
    },
    ...noteParts,
  ];
}

const NO_PLACE = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>';
const TABLE_URI = 'http://schemas.openxmlformats.org/drawingml/2006/table';
const COLUMN = 2_000_000;
const ROW = 400_000;

function treeXml(shapes: string): string {
  return `<p:cSld><p:spTree>${NO_PLACE}${shapes}</p:spTree></p:cSld>`;
}

function shape(placeholder: string, paragraphs: string): string {
  const names = `<p:nvSpPr><p:cNvPr id="2" name="${placeholder}"/><p:cNvSpPr/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr>`;
  const place = `<p:spPr>${frame('a', placeholder === 'title' ? 0 : 1)}</p:spPr>`;
  return `<p:sp>${names}${place}<p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`;
}

function frame(prefix: 'a' | 'p', row: number): string {
  return `<${prefix}:xfrm><a:off x="500000" y="${500_000 + row * 1_500_000}"/><a:ext cx="8000000" cy="1200000"/></${prefix}:xfrm>`;
}

function paragraph(
  text: string,
  { level = 0, id }: { readonly level?: number; readonly id?: string } = {},
): string {
  const link = id === undefined ? '' : `<a:hlinkClick r:id="${id}"/>`;
  return `<a:p><a:pPr lvl="${level}"/><a:r><a:rPr>${link}</a:rPr><a:t>${escapedXml(text)}</a:t></a:r></a:p>`;
}

function pictureXml(description: string): string {
  const names = `<p:nvPicPr><p:cNvPr id="4" name="Picture" descr="${escapedXml(description)}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>`;
  return `<p:pic>${names}<p:blipFill/><p:spPr>${frame('a', 1)}</p:spPr></p:pic>`;
}

function tableXml(rows: readonly (readonly (string | null)[])[]): string {
  const cells = (row: readonly (string | null)[]) =>
    row
      .map((cell) => {
        const merge = cell === null ? ' vMerge="1"' : '';
        return `<a:tc${merge}><a:txBody><a:bodyPr/>${paragraph(cell ?? '')}</a:txBody><a:tcPr/></a:tc>`;
      })
      .join('');
  const lines = rows.map((row) => `<a:tr h="${ROW}">${cells(row)}</a:tr>`).join('');
  const grid = (rows[0] ?? []).map(() => `<a:gridCol w="${COLUMN}"/>`).join('');
  const table = `<a:tbl><a:tblPr firstRow="1"/><a:tblGrid>${grid}</a:tblGrid>${lines}</a:tbl>`;
  const names =
    '<p:nvGraphicFramePr><p:cNvPr id="3" name="table"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>';
  return `<p:graphicFrame>${names}${frame('p', 1)}<a:graphic><a:graphicData uri="${TABLE_URI}">${table}</a:graphicData></a:graphic></p:graphicFrame>`;
}
