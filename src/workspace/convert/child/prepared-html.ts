// HTML of a Word document, made fit for Markdown.
import { parseHTML } from 'linkedom';
import { spreadCells } from './spread-cells.ts';

type Page = ReturnType<typeof parseHTML>['document'];
type PageElement = Page['body'];

/** Markdown has tables with a header only, one line in a cell, and no cell over others. */
export function preparedHtml(html: string): string {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  for (const table of document.querySelectorAll('table')) spreadCells(document, table);
  giveHeaders(document);
  for (const cell of document.querySelectorAll('th, td')) joinParagraphs(document, cell);
  return document.body.innerHTML;
}

function giveHeaders(document: Page): void {
  for (const table of document.querySelectorAll('table')) {
    if (table.querySelector('th') !== null) continue;
    const [first] = table.querySelectorAll('tr');
    for (const cell of first?.querySelectorAll('td') ?? []) {
      const header = document.createElement('th');
      header.innerHTML = cell.innerHTML;
      cell.replaceWith(header);
    }
  }
}

function joinParagraphs(document: Page, cell: PageElement): void {
  const paragraphs = [...cell.children].filter(({ tagName }) => tagName === 'P');
  for (const [index, paragraph] of paragraphs.entries()) {
    if (index > 0) paragraph.before(document.createElement('br'));
    paragraph.replaceWith(...paragraph.childNodes);
  }
}
