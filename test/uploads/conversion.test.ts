// Documents that are handed in become Markdown beside them; whatever is wrong with one is said, and it stays.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/documents/desk.ts';
import { docxOf } from '../support/documents/docx.ts';
import { encryptedPdf, pdfOf } from '../support/documents/pdf.ts';
import { pptxOf } from '../support/documents/pptx.ts';
import { xlsxOf } from '../support/documents/xlsx.ts';
import { jsonOf } from '../support/json-of.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.service.close());
beforeEach(() => desk.clear());

const numberedCharacters = {
  name: 'ppt/slides/slide1.xml',
  text: '<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>K&#228;se</a:t></a:r><a:br/><a:r><a:t>&amp;</a:t></a:r></a:p><a:p><a:r><a:t>&#x201C;Milch&#x201d;</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
};
const report = () =>
  docxOf([
    { kind: 'heading', level: 1, text: 'Annual report' },
    { kind: 'paragraph', text: 'The year was long & went well.' },
    { kind: 'heading', level: 2, text: 'What we did' },
    { kind: 'list', items: ['Built a barn', { level: 1, text: 'with a roof' }, 'Sold hay'] },
    { kind: 'list', numbered: true, items: ['Wake', 'Work'] },
    { kind: 'paragraph', text: 'Our site', link: 'https://example.com/?a=1&b=2' },
    {
      kind: 'table',
      rows: [
        ['Name', 'Count'],
        ['Hay | straw', '12'],
        ['Milk\nfresh', ''],
      ],
    },
  ]);

describe('a document that is handed in', () => {
  it('[uploads.markdown] has its Markdown beside it, described as in the contract, in the response and in the list', async () => {
    const { userId, threadId, client } = desk;
    const [record] = await desk.sent({ name: 'the report.docx', content: await report() });
    const markdown = {
      conversion_status: 'converted',
      markdown_file: 'the report.md',
      markdown_path: `users/${userId}/threads/${threadId}/user-data/uploads/the report.md`,
      markdown_virtual_path: '/mnt/user-data/uploads/the report.md',
      markdown_artifact_url: `/api/threads/${threadId}/artifacts/mnt/user-data/uploads/the%20report.md`,
    };
    expect(record).toMatchObject(markdown);
    expect(await desk.listed()).toMatchObject([
      { filename: 'the report.docx', ...markdown },
      { filename: 'the report.md' },
    ]);
    const shown = await client.get(markdown.markdown_artifact_url);
    expect(await shown.text()).toContain('# Annual report');
  });

  it('[uploads.markdown.structure] Word: headings, lists, tables, links', async () => {
    expect(await desk.markdownOf('a.docx', await report())).toBe(
      [
        '# Annual report',
        'The year was long & went well.',
        '## What we did',
        '-   Built a barn\n    -   with a roof\n-   Sold hay',
        '1.  Wake\n2.  Work',
        '[Our site](https://example.com/?a=1&b=2)',
        '| Name | Count |\n| --- | --- |\n| Hay \\| straw | 12  |\n| Milk  <br>fresh |     |\n',
      ].join('\n\n'),
    );
  });

  it('[uploads.markdown.structure] PDF: headings by size, lists, tables, links', async () => {
    const pdf = pdfOf([
      [
        { kind: 'heading', level: 1, text: 'Annual report' },
        { kind: 'paragraph', text: 'The year was long and went well for everybody here.' },
        { kind: 'heading', level: 2, text: 'What we did' },
        { kind: 'list', items: ['Built a barn', 'Sold (some) hay'] },
        {
          kind: 'table',
          rows: [
            ['Name', 'Count', 'Price'],
            ['Hay', '12', '3.50'],
            ['Milk', '7', '1.20'],
          ],
        },
      ],
      [{ kind: 'paragraph', text: 'Our site', link: 'https://example.com/more' }],
    ]);
    const markdown = await desk.markdownOf('a.PDF', pdf);
    for (const piece of [
      '# Annual report\n',
      '\n## What we did\n',
      '- Built a barn\n- Sold (some) hay\n',
      '| Name | Count | Price |\n|---|---|---|\n| Hay | 12 | 3.50 |\n| Milk | 7 | 1.20 |',
      '[Our site](https://example.com/more)',
    ])
      expect(markdown).toContain(piece);
  });

  it('[uploads.markdown.structure] Excel: every sheet under its name, dates as dates, links', async () => {
    const xlsx = await xlsxOf([
      {
        name: 'Sales & more',
        rows: [
          ['Day', 'What', 'Price', 'Paid'],
          [new Date('2026-03-01T00:00:00Z'), { text: 'Hay', link: 'https://example.com/hay' }, 3.5, true],
          [null, 'a | b', -1, false],
        ],
      },
      { name: 'Nothing', rows: [] },
      { name: 'Last', rows: [['one']] },
    ]);
    expect(await desk.markdownOf('a.xlsx', xlsx)).toBe(
      [
        '## Sales & more',
        [
          '| Day | What | Price | Paid |',
          '| --- | --- | --- | --- |',
          '| 2026-03-01 | [Hay](https://example.com/hay) | 3.5 | true |',
          '|  | a \\| b | -1 | false |',
        ].join('\n'),
        '## Nothing',
        '_Empty sheet._',
        '## Last',
        '| one |\n| --- |\n',
      ].join('\n\n'),
    );
  });

  it('[uploads.markdown.structure] PowerPoint: slides in their order, titles, bullets, tables, links, notes', async () => {
    const pptx = await pptxOf([
      {
        title: 'The farm',
        bullets: [
          'Hay',
          { level: 1, text: 'and straw' },
          { level: 0, text: 'Site', link: 'https://example.com/' },
        ],
        notes: 'Speak slowly.',
      },
      {
        title: 'Numbers <1>',
        table: [
          ['Name', 'Count'],
          ['Hay', '12'],
        ],
      },
      { bullets: ['Only a text'], numbered: true },
    ]);
    expect(await desk.markdownOf('a.pptx', pptx)).toBe(
      [
        '## Slide 1: The farm',
        '- Hay\n  - and straw\n- [Site](https://example.com/)',
        '> Notes:\n> Speak slowly.',
        '## Slide 2: Numbers <1>',
        '| Name | Count |\n| --- | --- |\n| Hay | 12 |',
        '## Slide 3',
        'Only a text\n',
      ].join('\n\n'),
    );
  });

  it('[hostile.S05] [uploads.list] [uploads.markdown.names] two of one name have two Markdowns in the order of the request, and nobody’s own file is overwritten', async () => {
    // The first one takes longest.
    const rows = Array.from({ length: 20_000 }, (_, index) => [index, `row ${index}`]);
    const records = await desk.sent(
      { name: 'a.md', content: 'mine' },
      { name: 'a.xlsx', content: await xlsxOf([{ name: 'Rows', rows }]) },
      { name: 'a.docx', content: 'nothing of the kind' },
      { name: 'a.pdf', content: pdfOf([[{ kind: 'paragraph', text: 'A page with some words.' }]]) },
    );
    const names = records.map(({ markdown_file }) => markdown_file);
    expect(names).toEqual([undefined, 'a (1).md', undefined, 'a (2).md']);
    expect(desk.textOf('a.md')).toBe('mine');
    expect(desk.textOf('a (1).md')).toContain('row 19999');
    // Four uploads, of which one is Markdown itself; what was made of the others is listed, and not counted.
    const path = `/api/threads/${desk.threadId}/uploads/list`;
    const { files, count } = await jsonOf<{ files: unknown[]; count: number }>(desk.client.get(path));
    expect([files.length, count]).toEqual([6, 4]);
  });

  it('[uploads.markdown.pictures] a page of a PDF that is a picture is marked between the others', async () => {
    const pages = pdfOf([[{ kind: 'paragraph', text: 'A page with some words.' }], [{ kind: 'picture' }]]);
    const markdown = await desk.markdownOf('a.pdf', pages);
    expect(markdown).toContain('A page with some words.');
    expect(markdown).toContain('_A page without text; it may be a picture._');
    expect(markdown).not.toContain('```');
  });

  it('[uploads.markdown.tolerant] bytes after the end of a zip and characters by number do no harm', async () => {
    const pptx = await pptxOf([{ title: 'The farm' }], [numberedCharacters]);
    expect(await desk.markdownOf('a.pptx', Buffer.concat([pptx, Buffer.from('\n')]))).toBe(
      '## Slide 1: Käse & “Milch”\n',
    );
  });

  it('[uploads.delete] goes with its Markdown, but not with a file that a person put in the place of it', async () => {
    await desk.sent({ name: 'a.docx', content: await report() });
    await desk.remove('a.docx');
    expect(desk.kept()).toEqual([]);
    await desk.sent({ name: 'a.docx', content: await report() });
    await desk.remove('a.md');
    await desk.sent({ name: 'a.md', content: 'mine' });
    await desk.remove('a.docx');
    expect(desk.kept()).toEqual(['a.md']);
  });
});

describe('a document that cannot be read stays, and the record says why', () => {
  it.each([
    ['a.pdf', 'nothing of the kind', 'The file is not the PDF that its name says, or it is damaged.'],
    ['a.pdf', '%PDF-1.7 and then nothing', 'The PDF is damaged and could not be read.'],
    ['a.docx', 'PK\u0003\u0004 and then nothing', 'The document is damaged and could not be read.'],
    ['a.xlsx', '', 'The file is empty.'],
    [
      'a.pdf',
      pdfOf([[{ kind: 'picture' }], [{ kind: 'picture' }]]),
      'The PDF has no text; its pages may be pictures (a scan).',
    ],
    ['a.pdf', encryptedPdf(), 'The PDF is protected with a password. Upload it without one.'],
  ])('[uploads.markdown.failure] %s %#', async (name, content, reason) => {
    expect(await desk.reasonOf(name, content)).toBe(reason);
    expect(await desk.listed()).toMatchObject([{ filename: name, conversion_error: reason }]);
  });

  it('[uploads.markdown.failure] one whose name says another kind', async () => {
    expect(await desk.reasonOf('a.pdf', await report())).toBe(
      'The file is a Word document (.docx), though its name ends in .pdf. Rename it and upload it again.',
    );
  });
});
