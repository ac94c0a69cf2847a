// A small writer of PDFs for tests: headings by size, paragraphs, lists, ruled tables and links, on any
// number of pages.

type PdfBlock =
  | { readonly kind: 'heading'; readonly text: string; readonly level: 1 | 2 }
  | { readonly kind: 'paragraph'; readonly text: string; readonly link?: string }
  | { readonly kind: 'picture' }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

export type PdfPage = readonly PdfBlock[];

const SIZES = { 1: 24, 2: 16 } as const;
const TEXT_SIZE = 11;
const LEFT = 72;
const TOP = 760;
const COLUMN = 150;
const ROW = 20;
const PICTURE = 300;
const CATALOG = 1;
const PAGES = 2;
const REGULAR = 3;
const BOLD = 4;
const FIRST_FREE = 5;

/** Returns the file. Text is Latin-1. */
export function pdfOf(pages: readonly PdfPage[]): Buffer {
  const objects = new Map<number, string>();
  let next = FIRST_FREE;
  const add = (body: string): number => {
    objects.set(next, body);
    return next++;
  };
  const ids = pages.map((blocks) => addPage(blocks, add));
  objects.set(CATALOG, `<< /Type /Catalog /Pages ${PAGES} 0 R >>`);
  objects.set(
    PAGES,
    `<< /Type /Pages /Count ${ids.length} /Kids [${ids.map((id) => `${id} 0 R`).join(' ')}] >>`,
  );
  objects.set(REGULAR, font('Helvetica'));
  objects.set(BOLD, font('Helvetica-Bold'));
  return fileOf(objects);
}

/** Returns the same file with an entry that claims password protection. */
export function encryptedPdf(): Buffer {
  const plain = pdfOf([[{ kind: 'paragraph', text: 'secret' }]]).toString('latin1');
  const hash = '00'.repeat(32);
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${hash}> /U <${hash}> /P -4 >> /ID [<00> <00>]`;
  return Buffer.from(plain.replace('trailer\n<<', `trailer\n<< ${encrypt}`), 'latin1');
}

function addPage(blocks: PdfPage, add: (body: string) => number): number {
  const drawing = new Drawing();
  for (const block of blocks) drawing.add(block);
  const content = drawing.operators.join('\n');
  const stream = add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  const notes = drawing.links.map(({ uri, box }) =>
    add(
      `<< /Type /Annot /Subtype /Link /Rect [${box}] /Border [0 0 0] /A << /S /URI /URI (${escaped(uri)}) >> >>`,
    ),
  );
  const fonts = `/Font << /F1 ${REGULAR} 0 R /F2 ${BOLD} 0 R >>`;
  const annots = notes.map((id) => `${id} 0 R`).join(' ');
  return add(
    `<< /Type /Page /Parent ${PAGES} 0 R /MediaBox [0 0 595 842] /Resources << ${fonts} >> /Contents ${stream} 0 R /Annots [${annots}] >>`,
  );
}

class Drawing {
  readonly operators: string[] = [];
  readonly links: { readonly uri: string; readonly box: string }[] = [];
  #y = TOP;

  add(block: PdfBlock): void {
    switch (block.kind) {
      case 'heading':
        this.#y -= 12;
        this.#line(block.text, { font: 'F2', size: SIZES[block.level] });
        return;
      case 'paragraph':
        if (block.link !== undefined) this.#link(block.link, block.text);
        this.#line(block.text, { font: 'F1', size: TEXT_SIZE });
        return;
      case 'list':
        for (const item of block.items)
          this.#line(`\u0095 ${item}`, { font: 'F1', size: TEXT_SIZE, x: LEFT + 18 });
        return;
      case 'picture':
        this.#y -= PICTURE;
        this.operators.push(
          `q ${PICTURE} 0 0 ${PICTURE} ${LEFT} ${this.#y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q`,
        );
        return;
      case 'table':
        this.#table(block.rows);
        return;
      default:
        block satisfies never;
    }
  }

  #line(text: string, { font: name, size, x = LEFT }: { font: string; size: number; x?: number }): void {
    this.#text(text, { font: name, size, x, y: this.#y });
    this.#y -= size * 1.6;
  }

  #text(text: string, at: { font: string; size: number; x: number; y: number }): void {
    this.operators.push(`BT /${at.font} ${at.size} Tf ${at.x} ${at.y} Td (${escaped(text)}) Tj ET`);
  }

  #link(uri: string, text: string): void {
    const width = text.length * TEXT_SIZE * 0.5;
    this.links.push({ uri, box: `${LEFT} ${this.#y - 3} ${LEFT + width} ${this.#y + TEXT_SIZE}` });
  }

  #table(rows: readonly (readonly string[])[]): void {
    const columns = rows[0]?.length ?? 0;
    const top = this.#y + ROW - 6;
    for (const [index, row] of rows.entries()) {
      for (const [column, cell] of row.entries()) {
        const face = index === 0 ? 'F2' : 'F1';
        this.#text(cell, { font: face, size: TEXT_SIZE, x: LEFT + 4 + column * COLUMN, y: this.#y });
      }
      this.#y -= ROW;
    }
    const bottom = top - rows.length * ROW;
    const right = LEFT + columns * COLUMN;
    for (let row = 0; row <= rows.length; row += 1) {
      this.operators.push(`${LEFT} ${top - row * ROW} m ${right} ${top - row * ROW} l S`);
    }
    for (let column = 0; column <= columns; column += 1) {
      this.operators.push(`${LEFT + column * COLUMN} ${top} m ${LEFT + column * COLUMN} ${bottom} l S`);
    }
    this.#y -= 10;
  }
}

function font(name: string): string {
  return `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

function fileOf(objects: ReadonlyMap<number, string>): Buffer {
  const ids = [...objects.keys()].sort((a, b) => a - b);
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const id of ids) {
    offsets.push(text.length);
    text += `${id} 0 obj\n${objects.get(id)}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = ids.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${size} /Root ${CATALOG} 0 R >>\nstartxref\n${text.indexOf('xref\n0')}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
