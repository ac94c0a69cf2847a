// Reads old Word documents without LibreOffice: headings, lists, tables, links, footnotes.
import type { CompoundFile } from './compound-file.ts';
import { kindName } from './document-kind.ts';
import { markdownTable, pictureText } from './markdown-blocks.ts';
import { broken } from './unreadable.ts';
import { fieldsIn, type LetterRange, type LinkRange } from './word-fields.ts';
import { type ParagraphFormat, type WordFormats, wordFormats } from './word-formats.ts';
import { type WordText, windowsText, wordText } from './word-text.ts';

const FLAGS_AT = 0x0a;
const SECOND_TABLE = 0x0200;

/** Throws `Unreadable`. */
export function readDoc(file: CompoundFile): string {
  const document = file.stream('WordDocument') ?? Buffer.alloc(0);
  const flags = document.length < FLAGS_AT + 2 ? 0 : document.readUInt16LE(FLAGS_AT);
  const table = file.stream((flags & SECOND_TABLE) === 0 ? '0Table' : '1Table');
  const text = wordText(document, table);
  if (text === undefined) throw broken(kindName('.doc'));
  const formats = wordFormats(document, table);
  const fields = fieldsIn(text.letters);
  const letters = withoutRanges(withoutDeleted(text, formats), fields.orders);
  return text.ranges
    .map((range) => blocksText(paragraphsIn({ ...text, letters }, range, { formats, links: fields.links })))
    .join('\n\n');
}

/** Takes the place of omitted letters, so that the others keep their positions. */
const HOLE = '\0';

function withoutDeleted({ letters, placeOf }: WordText, { hasDeletions, isDeleted }: WordFormats): string {
  if (!hasDeletions) return letters;
  return Array.from({ length: letters.length }, (_, at) =>
    isDeleted(placeOf(at)) ? HOLE : letters.charAt(at),
  ).join('');
}

function withoutRanges(letters: string, ranges: readonly LetterRange[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { begin, end } of ranges) {
    pieces.push(letters.slice(at, begin), HOLE.repeat(end - begin));
    at = end;
  }
  return pieces.join('') + letters.slice(at);
}

const CELL_END = '\u0007';
/** The ends of a paragraph, a cell, a page and a column. */
const ENDS: ReadonlySet<string> = new Set(['\r', CELL_END, '\f', '\u000e']);
const CONTROL = /\p{Cc}/gu;

function paragraphsIn(
  { letters, placeOf }: WordText,
  range: LetterRange,
  { formats, links }: { readonly formats: WordFormats; readonly links: readonly LinkRange[] },
): readonly WordParagraph[] {
  const paragraphs: WordParagraph[] = [];
  let link = 0;
  let begin = range.begin;
  const add = (end: number, mark: string): void => {
    const own: LinkRange[] = [];
    for (; (links[link]?.begin ?? Number.POSITIVE_INFINITY) < end; link++) {
      const it = links[link];
      if (it !== undefined && it.begin >= begin && it.end <= end) own.push(it);
    }
    const text = withLinks(letters, { begin, end }, own);
    paragraphs.push({ text, format: formats.paragraphAt(placeOf(end)), endsCell: mark === CELL_END });
    begin = end + 1;
  };
  const shownLetters = letters.slice(range.begin, range.end);
  for (const { 0: mark, index } of shownLetters.matchAll(CONTROL))
    if (ENDS.has(mark)) add(range.begin + index, mark);
  if (begin < range.begin + shownLetters.length) add(range.begin + shownLetters.length, '');
  return paragraphs;
}

function withLinks(letters: string, { begin, end }: LetterRange, links: readonly LinkRange[]): string {
  const pieces: string[] = [];
  let at = begin;
  for (const link of links) {
    const words = lettersText(letters.slice(link.begin, link.end)).trim();
    if (link.begin < at || words === '') continue;
    pieces.push(lettersText(letters.slice(at, link.begin)), `[${words}](${link.target})`);
    at = link.end;
  }
  return (pieces.join('') + lettersText(letters.slice(at, end))).trim();
}

const LAST_ASCII = '\u007f';
const SPACES = /[\u00a0\u2002\u2003]/g;
/** Any other one marks a reference, a field, or a hyphen that shows only at the end of a line. */
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['\u0001', pictureText('')],
  ['\t', '\t'],
  ['\v', '\n'],
  ['\u001e', '-'],
]);

function lettersText(letters: string): string {
  return letters.replace(CONTROL, controlText).replace(SPACES, ' ');
}

/** Some programs wrote quotes and dashes with their Windows codes. */
function controlText(mark: string): string {
  return mark > LAST_ASCII ? windowsText(Buffer.from(mark, 'latin1')) : (CONTROLS.get(mark) ?? '');
}

interface WordParagraph {
  readonly text: string;
  readonly format: ParagraphFormat;
  readonly endsCell: boolean;
}

function blocksText(paragraphs: readonly WordParagraph[]): string {
  const pieces: string[] = [];
  const table = new Table();
  let isAfterItem = false;
  for (const paragraph of paragraphs) {
    const { text, format, endsCell } = paragraph;
    if (format.isInTable || endsCell) {
      table.add(paragraph);
      continue;
    }
    const before = table.end();
    if (before !== '') pieces.push('\n\n', before);
    if (text === '') continue;
    const isItem = format.listLevel !== undefined && format.heading === undefined;
    pieces.push(isItem && isAfterItem && before === '' ? '\n' : '\n\n', paragraphText(paragraph));
    isAfterItem = isItem;
  }
  return [...pieces, '\n\n', table.end()].join('').trim();
}

class Table {
  #rows: string[][] = [];
  #row: string[] = [];
  #cell: string[] = [];

  add({ text, format, endsCell }: WordParagraph): void {
    if (text !== '') this.#cell.push(text);
    if (!endsCell) return;
    // Before Word 97, only an empty cell marks the end of a row.
    const isEnd = format.endsRow || (!format.isInTable && text === '' && this.#row.length > 0);
    if (isEnd) this.#endRow();
    else this.#endCell();
  }

  /** Returns the table so far, or an empty text. Another table may begin after that. */
  end(): string {
    if (this.#cell.length > 0) this.#endCell();
    if (this.#row.length > 0) this.#endRow();
    const table = markdownTable(this.#rows);
    this.#rows = [];
    return table;
  }

  #endCell(): void {
    this.#row.push(this.#cell.join('\n'));
    this.#cell = [];
  }

  #endRow(): void {
    this.#rows.push(this.#row);
    this.#row = [];
    this.#cell = [];
  }
}

const MAX_HEADING = 6;

function paragraphText({ text, format: { heading, listLevel } }: WordParagraph): string {
  if (heading !== undefined)
    return `${'#'.repeat(Math.min(heading, MAX_HEADING))} ${text.replace(/\s+/g, ' ')}`;
  if (listLevel !== undefined) return `${'  '.repeat(listLevel)}- ${text.replace(/\n/g, ' ')}`;
  return text;
}
