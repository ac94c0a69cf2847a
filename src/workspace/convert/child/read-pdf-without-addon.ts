// Reads PDFs where no box confines native code: with pdf.js, which is a script, and with less structure.
import { getDocumentProxy } from 'unpdf';
import { markdownTable } from './markdown-blocks.ts';
import { broken, locked, withoutText } from './unreadable.ts';

const KIND = 'PDF';
const MAX_PAGES = 10_000;
/** One of the levels of messages of pdf.js. */
const SAYS_NOTHING = 0;

export async function readPdfWithoutAddon(bytes: Buffer): Promise<string> {
  const document = await opened(bytes);
  const total = document.numPages;
  const pages: (readonly PlacedText[])[] = [];
  for (let number = 1; number <= Math.min(total, MAX_PAGES); number++) {
    const texts = await textsOf(document, number).catch(() => undefined);
    if (texts !== undefined) pages.push(texts);
  }
  const markdown = pagesMarkdown(pages);
  if (markdown === '') throw withoutText();
  const left = total - pages.length;
  return left > 0 ? `${markdown}\n\n_${left} of ${total} pages could not be read._` : markdown;
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

async function opened(bytes: Buffer): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: SAYS_NOTHING });
  } catch (error) {
    throw error instanceof Error && error.name === 'PasswordException' ? locked(KIND) : broken(KIND);
  }
}

async function textsOf(document: PdfDocument, number: number): Promise<readonly PlacedText[]> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.flatMap((item) => {
    if (!('str' in item)) return [];
    const [, , skew, scale, x, y] = item.transform.map(Number);
    const size = Math.round(Math.hypot(skew ?? 0, scale ?? 0) * 2) / 2;
    return [{ text: item.str, x: x ?? 0, y: y ?? 0, width: item.width, size, endsLine: item.hasEOL }];
  });
}

/** Lengths are in points; `y` grows upwards. */
interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the letters. */
  readonly size: number;
  readonly endsLine: boolean;
}

interface Line {
  /** More than one where wide gaps separate them. */
  readonly cells: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

type Block =
  | { readonly kind: 'text'; readonly size: number; readonly text: string }
  | { readonly kind: 'item'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

/** Relative to the size of the letters. A wider gap separates cells, a higher one paragraphs. */
const CELL_GAP = 1.5;
const WORD_GAP = 0.15;
const PARAGRAPH_GAP = 1.6;
/** Pieces of one line differ less in height, so an index stays on its line. */
const SAME_LINE = 0.5;
/** How much larger than most of the text a heading is, and how long it may be. */
const HEADING_SHARE = 1.15;
const MAX_HEADING = 200;
const MAX_LEVEL = 6;
const BULLET = /^[•◦▪‣●○■□–-] ?(?=\S)/u;
const NUMBERED = /^\d{1,3}[.)] /;

/** Returns an empty text when the pages have none. */
function pagesMarkdown(pages: readonly (readonly PlacedText[])[]): string {
  const lines = pages.map(linesOf);
  const headings = headingSizes(lines.flat());
  return lines
    .flatMap((page) => blocksOf(page).map((block, index, all) => blockText(block, all[index + 1], headings)))
    .join('')
    .trim();
}

function linesOf(texts: readonly PlacedText[]): readonly Line[] {
  const lines: Line[] = [];
  let own: PlacedText[] = [];
  const end = (): void => {
    const line = lineOf(own);
    if (line !== undefined) lines.push(line);
    own = [];
  };
  for (const text of texts) {
    const last = own.at(-1);
    if (last !== undefined && Math.abs(last.y - text.y) > SAME_LINE * Math.max(last.size, text.size)) end();
    if (text.text.trim() !== '') own.push(text);
    if (text.endsLine) end();
  }
  end();
  return lines;
}

function lineOf(texts: readonly PlacedText[]): Line | undefined {
  const [first] = texts;
  if (first === undefined) return undefined;
  const size = texts.reduce((most, text) => Math.max(most, text.size), 0);
  const cells: string[] = [];
  let end = first.x;
  for (const { text, x, width } of texts) {
    const gap = x - end;
    const before = cells.at(-1);
    if (before === undefined || (gap > CELL_GAP * size && !BULLET.test(`${before} x`))) cells.push(text);
    else cells[cells.length - 1] = `${before}${Math.abs(gap) > WORD_GAP * size ? ' ' : ''}${text}`;
    end = x + width;
  }
  return { cells: cells.map((cell) => cell.replace(/\s+/g, ' ').trim()), x: first.x, y: first.y, size };
}

/** Returns the sizes of headings, largest first. */
function headingSizes(lines: readonly Line[]): readonly number[] {
  const letters = new Map<number, number>();
  for (const { size, cells } of lines) letters.set(size, (letters.get(size) ?? 0) + cells.join('').length);
  const [most] = [...letters].sort(([, a], [, b]) => b - a);
  const [usual = 0] = most ?? [];
  return [...letters.keys()].filter((size) => size > usual * HEADING_SHARE).sort((a, b) => b - a);
}

function blocksOf(lines: readonly Line[]): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const rows = tableAt(lines, at);
    if (rows.length > 1) {
      blocks.push({ kind: 'table', rows });
      at += rows.length;
      continue;
    }
    const begin = at;
    const pieces: string[] = [];
    do {
      pieces.push(lines[at]?.cells.join(' ') ?? '');
      at += 1;
    } while (goesOn(lines, begin, at));
    const text = pieces.join(' ');
    const size = lines[begin]?.size ?? 0;
    blocks.push(
      BULLET.test(text)
        ? { kind: 'item', text: text.replace(BULLET, '').trim() }
        : { kind: 'text', size, text },
    );
  }
  return blocks;
}

/** Returns consecutive lines with the same number of cells. */
function tableAt(lines: readonly Line[], from: number): readonly (readonly string[])[] {
  const columns = lines[from]?.cells.length ?? 0;
  if (columns < 2) return [];
  let end = from + 1;
  while (lines[end]?.cells.length === columns) end += 1;
  return lines.slice(from, end).map(({ cells }) => cells);
}

/** True when the line continues the paragraph that began at `begin`. */
function goesOn(lines: readonly Line[], begin: number, at: number): boolean {
  const [first, before, line] = [lines[begin], lines[at - 1], lines[at]];
  if (first === undefined || before === undefined || line === undefined) return false;
  const [text = '', ...further] = line.cells;
  const step = before.y - line.y;
  // The continuation of an item is indented further than its bullet.
  const isOutside = BULLET.test(first.cells[0] ?? '') && line.x <= first.x;
  return (
    line.size === first.size &&
    step > 0 &&
    step < PARAGRAPH_GAP * line.size &&
    further.length === 0 &&
    !isOutside &&
    !BULLET.test(text) &&
    !NUMBERED.test(text)
  );
}

function blockText(block: Block, next: Block | undefined, headings: readonly number[]): string {
  switch (block.kind) {
    case 'table':
      return `${markdownTable(block.rows)}\n\n`;
    case 'item':
      return `- ${block.text}${next?.kind === 'item' ? '\n' : '\n\n'}`;
    case 'text': {
      const level = Math.min(headings.indexOf(block.size) + 1, MAX_LEVEL);
      const marks = level > 0 && block.text.length <= MAX_HEADING ? `${'#'.repeat(level)} ` : '';
      return `${marks}${block.text}\n\n`;
    }
  }
}
