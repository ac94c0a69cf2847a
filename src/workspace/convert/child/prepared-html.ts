// HTML of a Word document, prepared for Markdown.
import { parseHTML } from 'linkedom';

type Page = ReturnType<typeof parseHTML>['document'];
type PageElement = Page['body'];

/** Markdown tables must have a header, have one line per cell, and no cells that span others. */
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

/** The continuation of cells that span several rows, by column. */
type Below = Map<number, { readonly html: string; readonly rows: number }>;

/**
 * Repeats the content of a cell over several rows in each of them, because rows are read alone. Further
 * columns of a cell stay empty.
 */
function spreadCells(document: Page, table: PageElement): void {
  const below: Below = new Map();
  for (const row of table.querySelectorAll('tr')) {
    if (row.closest('table') === table) row.replaceChildren(...spread(document, [...row.children], below));
  }
}

function spread(document: Page, own: readonly PageElement[], below: Below): readonly PageElement[] {
  const cells: PageElement[] = [];
  for (const cell of own) {
    cells.push(...fromAbove(document, cells.length, below));
    const further = Array.from({ length: takenSpan(cell, 'colspan') - 1 }, () => cellOf(document, ''));
    const rows = takenSpan(cell, 'rowspan') - 1;
    for (const it of [cell, ...further]) {
      if (rows > 0) below.set(cells.length, { html: it.innerHTML, rows });
      cells.push(it);
    }
  }
  return [...cells, ...fromAbove(document, cells.length, below)];
}

/** Returns the cells, from a column on, that continue from above. */
function fromAbove(document: Page, column: number, below: Below): readonly PageElement[] {
  const cells: PageElement[] = [];
  for (let at = column; ; at++) {
    const above = below.get(at);
    if (above === undefined) return cells;
    if (above.rows > 1) below.set(at, { ...above, rows: above.rows - 1 });
    else below.delete(at);
    cells.push(cellOf(document, above.html));
  }
}

function cellOf(document: Page, html: string): PageElement {
  const cell = document.createElement('td');
  cell.innerHTML = html;
  return cell;
}

/** Word allows no more columns, and no real cell spans more rows. */
const MAX_SPAN = 1_000;

function takenSpan(cell: PageElement, name: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(name) ?? 1);
  cell.removeAttribute(name);
  return Number.isInteger(span) && span > 0 ? Math.min(span, MAX_SPAN) : 1;
}
