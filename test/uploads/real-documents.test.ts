// Documents that LibreOffice wrote (test/documents/make.ts), read with LibreOffice where it is there, and without it.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { conversionMeans } from '../../src/workspace/convert/choose-converter.ts';
import { testConfinement } from '../support/confinement.ts';
import { type Desk, openDesk } from '../support/documents/desk.ts';

const document = (name: string) => readFileSync(new URL(`../documents/${name}`, import.meta.url));
const means = await conversionMeans(testConfinement);
const hasLibreOffice = means.box.works && means.libreOffice !== undefined;

const LETTER = [
  '# The farm',
  'The year was long and went well for everybody on the farm, as it did the year before.',
  '## What we did',
  '-   Built a barn\n    -   with a roof\n-   Sold hay',
  '[Our site](https://example.com/farm)',
  '## What we have',
  '| Name | Count | Price |\n| --- | --- | --- |\n| Hay | 12  | 3.50 |\n| Milk | 7   | 1.20 |',
  'Übermut tut selten gut: 10 € für ein Käsebrötchen.\n',
].join('\n\n');
const CHEESE = '## Käse\n\n| Kind | Weight |\n| --- | --- |\n| Gouda | 12 |\n';
const SALES = [
  '## Sales',
  [
    '| Day | What | Price | Paid |',
    '| --- | --- | --- | --- |',
    '| 2026-03-01 | [Hay](https://example.com/hay) | 3.5 | true |',
    '| 2026-03-02 | Milk | 1.25 | false |',
  ].join('\n'),
  CHEESE,
].join('\n\n');
const TABLE = '| Name | Count | Price |\n| --- | --- | --- |\n| Hay | 12 | 3.50 |\n| Milk | 7 | 1.20 |';

describe.each([
  { how: 'with LibreOffice where it is there', libreoffice: 'auto' },
  { how: 'without LibreOffice', libreoffice: 'off' },
])('$how', ({ libreoffice }) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ conversion: { libreoffice } });
  });
  afterAll(() => desk.service.close());
  beforeEach(() => desk.clear());

  const markdownOf = (name: string) => desk.markdownOf(name, document(name));

  it('[uploads.markdown.structure] Word', async () => {
    expect(await markdownOf('farm.docx')).toBe(LETTER);
  });

  it('[uploads.markdown.structure] Excel', async () => {
    expect(await markdownOf('sheets.xlsx')).toBe(SALES);
  });

  it('[uploads.markdown.structure] PowerPoint', async () => {
    expect(await markdownOf('slides.pptx')).toBe(
      [
        '## Slide 1: The farm',
        '- Hay\n- and straw\n- Milk',
        '> Notes:\n> Speak slowly.',
        '## Slide 2: Numbers',
        `${TABLE}\n`,
      ].join('\n\n'),
    );
  });

  it('[uploads.markdown.structure] PDF', async () => {
    const markdown = await markdownOf('farm.pdf');
    expect(markdown).toMatch(/^# The farm$/m);
    expect(markdown).toMatch(/^## What we did$/m);
    expect(markdown).toMatch(/^- Built a barn$/m);
    expect(markdown).toContain(TABLE.replaceAll(' --- ', '---'));
    expect(markdown).toContain('Übermut tut selten gut: 10 € für ein Käsebrötchen.');
  });

  it.skipIf(libreoffice === 'auto' && !hasLibreOffice)(
    '[uploads.markdown.old] old formats: with LibreOffice like the new ones, without it what can be had',
    async () => {
      if (libreoffice === 'auto') {
        expect(await markdownOf('farm.doc')).toBe(LETTER);
        expect(await markdownOf('sheets.xls')).toBe(SALES);
        const slides = await markdownOf('slides.ppt');
        for (const piece of ['## Slide 1: The farm', '- Hay', '> Speak slowly.', '## Slide 2', TABLE])
          expect(slides).toContain(piece);
        return;
      }
      expect(await markdownOf('farm.doc')).toContain(
        '## What we did\n\n- Built a barn\n  - with a roof\n- Sold hay\n\n[Our site](https://example.com/farm)',
      );
      expect(await markdownOf('sheets.xls')).toBe(SALES);
      const slides = await markdownOf('slides.ppt');
      for (const piece of ['## Slide 1: The farm', '- Hay', '> Speak slowly.', '## Slide 2', TABLE])
        expect(slides).toContain(piece);
    },
  );

  it.each([
    ['locked.pdf', 'PDF'],
    ['locked.doc', 'Word document (.doc)'],
    ['locked.xls', 'Excel workbook (.xls)'],
  ])('[uploads.markdown.failure] one behind a password: %s', async (name, kind) => {
    const reason = `The ${kind} is protected with a password. Upload it without one.`;
    expect(await desk.reasonOf(name, document(name))).toBe(reason);
  });

  it('[uploads.markdown.failure] a new one behind a password, which comes in the old container', async () => {
    const bytes = Buffer.from(document('farm.doc'));
    const entry = bytes.indexOf(Buffer.from('WordDocument', 'utf16le'));
    bytes.write('EncryptedPackage', entry, 'utf16le');
    bytes.writeUInt16LE(('EncryptedPackage'.length + 1) * 2, entry + 64);
    expect(await desk.reasonOf('a.docx', bytes)).toBe(
      'The Word document (.docx) is protected with a password. Upload it without one.',
    );
  });

  it('[uploads.markdown.failure] one that is cut off, or full of other bytes', async () => {
    const names = [
      'farm.docx',
      'sheets.xlsx',
      'slides.pptx',
      'farm.pdf',
      'farm.doc',
      'sheets.xls',
      'slides.ppt',
    ];
    for (const name of names) {
      await desk.clear();
      const bytes = document(name);
      const half = await desk.sent(
        { name: `half-${name}`, content: bytes.subarray(0, bytes.length / 3) },
        { name: `noise-${name}`, content: noisy(bytes) },
      );
      for (const { conversion_status, conversion_error = 'none' } of half) {
        expect(['converted', 'failed']).toContain(conversion_status);
        expect(conversion_error).not.toMatch(/\/|Error|node/);
      }
    }
  }, 180_000);
});

/** The first kilobyte stays, of the rest every seventh byte is another one. */
function noisy(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => (at < 1_024 || at % 7 !== 0 ? byte : byte ^ 0x5a)));
}
