// Documents that were made to hurt: they stay as they are, and the service goes on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/documents/desk.ts';
import { docxOf } from '../support/documents/docx.ts';
import { handMade } from '../support/documents/hand-made-zip.ts';
import { pdfOf } from '../support/documents/pdf.ts';
import { xlsxOf } from '../support/documents/xlsx.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ conversion: { unpacked_mb: 8, markdown_mb: 1, memory_mb: 512 } });
});
afterAll(() => desk.service.close());
beforeEach(() => desk.clear());

const TOO_LARGE = 'The document is larger than 8 MB or grows more than 100 times when it is unpacked.';
const STRANGE = 'The document has parts that office programs do not write, and was not read.';
const word = (text: string, more: Parameters<typeof docxOf>[1] = []) =>
  docxOf([{ kind: 'paragraph', text }], more);
const body = (content: string, head = '') =>
  `<?xml version="1.0"?>${head}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${content}</w:t></w:r></w:p></w:body></w:document>`;

describe('zips that grow', () => {
  it('[hostile.S08] [uploads.markdown.limits] 60 MB of nothing in a small file', async () => {
    const bomb = await word('x', [{ name: 'word/document.xml', text: body(' '.repeat(60_000_000)) }]);
    expect(bomb.length).toBeLessThan(100_000);
    expect(await desk.reasonOf('a.docx', bomb)).toBe(TOO_LARGE);
  });

  it('[hostile.S08] [uploads.markdown.limits] parts that are small each and many, and a part that lies about its size', async () => {
    const part = body(Array.from({ length: 90_000 }, (_, index) => index.toString(36)).join(' '));
    const many = Array.from({ length: 30 }, (_, index) => ({ name: `word/more${index}.xml`, text: part }));
    expect(await desk.reasonOf('a.docx', await word('x', many))).toBe(TOO_LARGE);
    await desk.clear();
    const lying = { name: 'word/document.xml', text: body(' '.repeat(3_000_000)), said: 1_000, times: 1 };
    expect(await desk.reasonOf('a.docx', handMade(lying))).toBe(
      'The document is damaged and could not be read.',
    );
  });

  it('[hostile.S08] [uploads.markdown.limits] more parts than a document has', async () => {
    const crowd = { name: 'xl/workbook.xml', text: '<workbook/>', said: 11, times: 10_001 };
    expect(await desk.reasonOf('a.xlsx', handMade(crowd))).toBe('The document has more than 10000 parts.');
  });

  it('[uploads.markdown.limits] pictures are not unpacked, however large', async () => {
    const picture = { name: 'word/media/image1.png', text: ' '.repeat(20_000_000) };
    expect(await desk.markdownOf('a.docx', await word('words', [picture]))).toBe('words\n');
  });

  it('[uploads.markdown.limits] Markdown that is too long loses its end, and says so', async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => [
      `row ${index}`,
      (index * 7_919) % 65_536,
      index,
    ]);
    const markdown = await desk.markdownOf('a.xlsx', await xlsxOf([{ name: 'a', rows }]));
    expect(markdown).toContain('| row 1 | 7919 | 1 |');
    expect(markdown).toMatch(
      /\n\n_The rest of the document is left out: its Markdown is longer than 1 MB\._\n$/,
    );
    expect(Buffer.byteLength(markdown)).toBeLessThan(1_048_576 + 200);
  });

  it('[uploads.markdown.limits] one that needs more memory than it may take is stopped, and the next one is read', async () => {
    const deep = `${'<w:sdt><w:sdtContent>'.repeat(60_000)}${'</w:sdtContent></w:sdt>'.repeat(60_000)}`;
    const text = body('x').replace('<w:p>', `${deep}<w:p>`);
    const reason = await desk.reasonOf('a.docx', await word('x', [{ name: 'word/document.xml', text }]));
    expect(reason).toMatch(/damaged|memory|larger/);
    await desk.clear();
    expect(await desk.markdownOf('b.docx', await word('fine'))).toBe('fine\n');
  });
});

describe('documents that want something of the machine', () => {
  it('[hostile.S13] entities are not resolved: a document with a DTD is not read at all', async () => {
    const attack = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>';
    const text = body('&e;', attack);
    for (const name of ['word/document.xml', 'word/styles.xml', 'docProps/core.xml']) {
      await desk.clear();
      expect(await desk.reasonOf('a.docx', await word('x', [{ name, text }]))).toBe(STRANGE);
    }
    await desk.clear();
    const sheet = { name: 'xl/sharedStrings.xml', text: '<!DOCTYPE x [<!ENTITY a "aaaa">]><sst/>' };
    expect(await desk.reasonOf('a.xlsx', await xlsxOf([{ name: 'a', rows: [['x']] }], [sheet]))).toBe(
      STRANGE,
    );
  });

  it('[hostile.S13] entities in another encoding neither', async () => {
    const attack = body('&e;', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>');
    const text = `<?xml version="1.0" encoding="UTF-16"?>${[...attack].join('\0')}`;
    expect(await desk.reasonOf('a.docx', await word('x', [{ name: 'word/document.xml', text }]))).toBe(
      STRANGE,
    );
  });

  it('[hostile.S13] templates, pictures and links outside are not fetched', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const outside = `http://127.0.0.1:${port}/x.dotm`;
    const relation = (id: string, type: string) =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${outside}" TargetMode="External"/>`;
    const namespaces =
      'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"';
    const picture = `<w:p ${namespaces}><w:r><w:drawing><wp:inline><wp:docPr descr="A barn"/><a:graphic><a:graphicData><a:blip r:link="rPicture"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const document = await word('x', [
      { name: 'word/document.xml', text: body('words').replace('<w:p>', `${picture}<w:p>`) },
      {
        name: 'word/_rels/document.xml.rels',
        text: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation('rPicture', 'image')}</Relationships>`,
      },
      {
        name: 'word/_rels/settings.xml.rels',
        text: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation('rTemplate', 'attachedTemplate')}</Relationships>`,
      },
    ]);
    const [record] = await desk.sent({ name: 'a.docx', content: document });
    server.close();
    expect(asked).toBe(0);
    expect(record?.conversion_error ?? desk.textOf(record?.markdown_file)).toMatch(/words|damaged/);
  });

  it('[hostile.S13] what a PDF wants to launch or run is not even text', async () => {
    const pdf = pdfOf([[{ kind: 'paragraph', text: 'A page with some words on it.' }]])
      .toString('latin1')
      .replace('/Type /Catalog', '/OpenAction << /S /Launch /F (/bin/sh) /P (-c id) >> /Type /Catalog');
    expect(await desk.markdownOf('a.pdf', Buffer.from(pdf, 'latin1'))).toBe(
      'A page with some words on it.\n',
    );
  });
});
