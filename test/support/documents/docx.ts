// A small writer of Word documents for tests.
import { escapedXml, officeFile, type Part, relations, withParts } from './ooxml.ts';

export type DocxBlock =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string; readonly link?: string; readonly bold?: true }
  | {
      readonly kind: 'list';
      readonly numbered?: true;
      readonly items: readonly (string | { readonly level: number; readonly text: string })[];
    }
  | { readonly kind: 'picture'; readonly description: string }
  /** A formula as the office programs write it, with text around it. */
  | { readonly kind: 'formula'; readonly before: string; readonly omml: string; readonly after: string }
  /** Verbatim. */
  | { readonly kind: 'xml'; readonly xml: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly DocxCell[])[] };

type DocxCell =
  | string
  /** A cell over several columns, or the first or a further one of a cell over several rows. */
  | { readonly text: string; readonly columns?: number; readonly over?: 'first' | 'further' };

const W =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"';
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/** Returns the file; `more` are additional parts, or replacements of its own. */
export function docxOf(blocks: readonly DocxBlock[], more: readonly Part[] = []): Promise<Buffer> {
  const links: string[] = [];
  const body = blocks.map((block) => blockXml(block, links)).join('');
  const own: readonly Part[] = [
    {
      name: 'word/document.xml',
      type: `${TYPE}.document.main+xml`,
      text: `<w:document ${W}><w:body>${body}<w:sectPr/></w:body></w:document>`,
    },
    { name: 'word/styles.xml', type: `${TYPE}.styles+xml`, text: styles() },
    { name: 'word/numbering.xml', type: `${TYPE}.numbering+xml`, text: numbering() },
    {
      name: 'word/_rels/document.xml.rels',
      text: relations([
        { id: 'rStyles', type: 'styles', target: 'styles.xml' },
        { id: 'rNumbering', type: 'numbering', target: 'numbering.xml' },
        { id: 'rPicture', type: 'image', target: 'media/image1.png' },
        ...links.map(
          (target, index) => ({ id: `rLink${index}`, type: 'hyperlink', target, external: true }) as const,
        ),
      ]),
    },
  ];
  return officeFile('word/document.xml', withParts(own, more));
}

function blockXml(block: DocxBlock, links: string[]): string {
  switch (block.kind) {
    case 'heading':
      return paragraph(run(block.text), `<w:pStyle w:val="Heading${block.level}"/>`);
    case 'paragraph': {
      const text = run(block.text, block.bold === true ? '<w:b/>' : '');
      if (block.link === undefined) return paragraph(text);
      const id = links.push(block.link) - 1;
      return paragraph(`<w:hyperlink r:id="rLink${id}">${text}</w:hyperlink>`);
    }
    case 'list': {
      const list = block.numbered === true ? 2 : 1;
      return block.items
        .map((item) => (typeof item === 'string' ? { level: 0, text: item } : item))
        .map(({ level, text }) =>
          paragraph(run(text), `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`),
        )
        .join('');
    }
    case 'picture':
      return paragraph(`<w:r>${pictureXml(block.description)}</w:r>`);
    case 'formula':
      return paragraph(`${run(block.before)}<m:oMath>${block.omml}</m:oMath>${run(block.after)}`);
    case 'xml':
      return block.xml;
    case 'table':
      return `<w:tbl>${tableProperties(block.rows[0]?.length ?? 0)}${block.rows.map((row) => `<w:tr>${row.map(cellXml).join('')}</w:tr>`).join('')}</w:tbl>`;
    default:
      return block satisfies never;
  }
}

function tableProperties(columns: number): string {
  const borders = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV']
    .map((side) => `<w:${side} w:val="single" w:sz="4"/>`)
    .join('');
  const grid = Array.from({ length: columns }, () => '<w:gridCol w:w="2400"/>').join('');
  return `<w:tblPr><w:tblBorders>${borders}</w:tblBorders></w:tblPr><w:tblGrid>${grid}</w:tblGrid>`;
}

function cellXml(cell: DocxCell): string {
  const { text, columns = 1, over } = typeof cell === 'string' ? { text: cell } : cell;
  const span = columns === 1 ? '' : `<w:gridSpan w:val="${columns}"/>`;
  const merge = over === undefined ? '' : `<w:vMerge${over === 'first' ? ' w:val="restart"' : ''}/>`;
  const paragraphs = text.split('\n').map((line) => paragraph(run(line)));
  return `<w:tc><w:tcPr>${span}${merge}</w:tcPr>${paragraphs.join('')}</w:tc>`;
}

/** Without the bytes of the picture, which are never read. */
function pictureXml(description: string): string {
  const graphic = `<a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="rPicture"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>`;
  return `<w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="${escapedXml(description)}"/>${graphic}</wp:inline></w:drawing>`;
}

function paragraph(content: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
}

function run(text: string, properties = ''): string {
  return `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${escapedXml(text)}</w:t></w:r>`;
}

/** In half-points, as in Word. */
const HEADING_SIZES = [40, 30, 26];

function styles(): string {
  const heading = (size: number, index: number) =>
    `<w:style w:type="paragraph" w:styleId="Heading${index + 1}"><w:name w:val="heading ${index + 1}"/><w:pPr><w:spacing w:before="240" w:after="120"/></w:pPr><w:rPr><w:b/><w:sz w:val="${size}"/></w:rPr></w:style>`;
  return `<w:styles ${W}>${HEADING_SIZES.map(heading).join('')}</w:styles>`;
}

function numbering(): string {
  const levels = (format: string, text: (level: number) => string) =>
    [0, 1, 2]
      .map(
        (level) =>
          `<w:lvl w:ilvl="${level}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text(level)}"/><w:pPr><w:ind w:left="${(level + 1) * 720}" w:hanging="360"/></w:pPr></w:lvl>`,
      )
      .join('');
  const kinds = [levels('bullet', () => '•'), levels('decimal', (level) => `%${level + 1}.`)];
  const abstract = kinds.map(
    (kind, index) => `<w:abstractNum w:abstractNumId="${index + 1}">${kind}</w:abstractNum>`,
  );
  const concrete = kinds.map(
    (_, index) => `<w:num w:numId="${index + 1}"><w:abstractNumId w:val="${index + 1}"/></w:num>`,
  );
  return `<w:numbering ${W}>${abstract.join('')}${concrete.join('')}</w:numbering>`;
}
