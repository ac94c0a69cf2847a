// Paragraphs of an old Word document as headings, lists, tables and texts. Pure.
import { markdownTable } from './markdown-table.ts';
import type { ParagraphFormat } from './word-formats.ts';

export interface WordParagraph {
  readonly text: string;
  readonly format: ParagraphFormat;
  readonly endsCell: boolean;
}

export function blocksText(paragraphs: readonly WordParagraph[]): string {
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
    // Before Word 97 nothing says that a row ends but an empty cell.
    const isEnd = format.endsRow || (!format.isInTable && text === '' && this.#row.length > 0);
    if (isEnd) this.#endRow();
    else this.#endCell();
  }

  /** The table up to here, or nothing; another one may begin. */
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
