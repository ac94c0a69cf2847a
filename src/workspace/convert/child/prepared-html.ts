// HTML of a Word document, made fit for Markdown.
import { parseHTML } from 'linkedom';

type Page = ReturnType<typeof parseHTML>['document'];
type PageElement = Page['body'];

/** Markdown has tables with a header only, and one line in a cell; a picture without its bytes is its description. */
export function preparedHtml(html: string): string {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  describePictures(document);
  giveHeaders(document);
  for (const cell of document.querySelectorAll('th, td')) joinParagraphs(document, cell);
  return document.body.innerHTML;
}

function describePictures(document: Page): void {
  for (const image of document.querySelectorAll('img')) {
    const description = image.getAttribute('alt') ?? '';
    image.replaceWith(document.createTextNode(description === '' ? '' : `[${description}]`));
  }
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
