// What the documents of this folder say, in each format.
import { docxOf } from '../support/documents/docx.ts';
import { pptxOf } from '../support/documents/pptx.ts';
import { xlsxOf } from '../support/documents/xlsx.ts';

const TABLE = [
  ['Name', 'Count', 'Price'],
  ['Hay', '12', '3.50'],
  ['Milk', '7', '1.20'],
];

export function farmDocument(): Promise<Buffer> {
  return docxOf([
    { kind: 'heading', level: 1, text: 'The farm' },
    {
      kind: 'paragraph',
      text: 'The year was long and went well for everybody on the farm, as it did the year before.',
    },
    { kind: 'heading', level: 2, text: 'What we did' },
    { kind: 'list', items: ['Built a barn', { level: 1, text: 'with a roof' }, 'Sold hay'] },
    { kind: 'paragraph', text: 'Our site', link: 'https://example.com/farm' },
    { kind: 'heading', level: 2, text: 'What we have' },
    { kind: 'table', rows: TABLE },
    { kind: 'paragraph', text: 'Übermut tut selten gut: 10 € für ein Käsebrötchen.' },
  ]);
}

export function farmWorkbook(): Promise<Buffer> {
  return xlsxOf([
    {
      name: 'Sales',
      rows: [
        ['Day', 'What', 'Price', 'Paid'],
        [new Date('2026-03-01T00:00:00Z'), { text: 'Hay', link: 'https://example.com/hay' }, 3.5, true],
        [new Date('2026-03-02T00:00:00Z'), 'Milk', 1.25, false],
      ],
    },
    {
      name: 'Käse',
      rows: [
        ['Kind', 'Weight'],
        ['Gouda', 12],
      ],
    },
  ]);
}

export function farmSlides(): Promise<Buffer> {
  return pptxOf([
    { title: 'The farm', bullets: ['Hay', { level: 1, text: 'and straw' }, 'Milk'], notes: 'Speak slowly.' },
    { title: 'Numbers', table: TABLE },
  ]);
}
