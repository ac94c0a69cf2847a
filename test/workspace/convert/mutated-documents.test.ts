// Documents with random byte changes: their conversion ends soon, with Markdown or with a failure.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { amount } from '../../support/amount.ts';
import { docOf } from '../../support/documents/doc.ts';
import { docxOf } from '../../support/documents/docx.ts';
import { relations } from '../../support/documents/ooxml.ts';
import { pptOf } from '../../support/documents/ppt.ts';
import { document, markdownOf } from '../../support/documents/reader.ts';
import { ownTime } from '../../support/own-time.ts';

const SEED = 20_261_122;
/** For one document. */
const SOON_MS = 5_000;
/** More text than any of these small documents has. */
const MUCH = 1_000_000;

const OLD = {
  'a .ppt like those of PowerPoint': [
    '.ppt',
    pptOf(
      [
        {
          title: 'The farm – today',
          bullets: ['Hay', { level: 1, text: 'straw' }],
          link: { text: 'site', target: 'https://example.com/' },
          table: [
            ['a', 'b'],
            [null, 'c'],
          ],
          pictures: ['A barn'],
          footer: 'Farm',
          notes: 'Slowly.',
        },
        { title: 'Last' },
      ],
      { before: [{ title: 'Old' }] },
    ),
  ],
  'a .ppt of LibreOffice': ['.ppt', document('slides.ppt')],
  'a .doc like those of Word': [
    '.doc',
    docOf({
      pieces: [
        {
          text: 'The farm\r\u0013 HYPERLINK "https://e.com" \u0014site\u0015\rA\u0007B\u0007\u0007',
          in: 'bytes',
        },
        { text: 'Käse\r', in: 'utf16' },
      ],
      paragraphs: [{ begin: 0, end: 9, style: 1 }],
      letters: [{ begin: 0, end: 3, says: [[0x0800, 1, 1]] }],
    }),
  ],
  'a .doc of LibreOffice': ['.doc', document('farm.doc')],
  'a .xls of LibreOffice': ['.xls', document('sheets.xls')],
} as const;

/** Positions in a document, equally likely; floating-point numbers would be near 0. */
const PLACES = 1_000_000;
/** Values as of lengths, positions and ends of chains. */
const change = fc.record({
  place: fc.nat({ max: PLACES }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc
      .constantFrom('ffffffff', 'feffffff', 'ffffff7f', '00000000', '01000000')
      .map((hex) => Buffer.from(hex, 'hex')),
  ),
});

async function endsSoon(reading: Promise<string>): Promise<void> {
  const took = ownTime();
  const outcome = await reading.catch((error: unknown) => error);
  expect(took()).toBeLessThan(SOON_MS);
  if (typeof outcome === 'string') expect(outcome.length).toBeLessThan(MUCH);
  else expect(outcome).toBeInstanceOf(Error);
}

it.each(Object.entries(OLD))('[uploads.markdown.limits] %s', async (_, [extension, whole]) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const changed = Buffer.from(whole);
      for (const { place, bytes } of changes)
        changed.set(bytes, Math.floor((place / PLACES) * (whole.length - bytes.length)));
      await endsSoon(markdownOf(extension, changed));
    }),
    { seed: SEED, numRuns: amount(50, 150) },
  );
});

const FORMULA =
  '<w:p><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:rad><m:deg/><m:e><m:d><m:e><m:m><m:mr><m:e><m:r><m:t>α</m:t></m:r></m:e></m:mr></m:m></m:e></m:d></m:e></m:rad></m:den></m:f></m:oMath></m:oMathPara></w:p>';
const DRAWN =
  '<w:p><w:r><w:drawing><wp:inline><wp:docPr descr="x"/><a:graphic><a:graphicData><c:chart r:id="rChart"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
const CHART =
  '<c:chartSpace xmlns:c="c"><c:chart><c:plotArea><c:pieChart><c:ser><c:cat><c:strLit><c:pt idx="0"><c:v>a</c:v></c:pt></c:strLit></c:cat><c:val><c:numLit><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>';

const cut = fc.record({
  place: fc.nat({ max: PLACES }),
  letters: fc.nat({ max: 30 }),
  instead: fc.constantFrom(
    '',
    '<',
    '>',
    '/>',
    '</m:oMath>',
    '<m:e>',
    '<w:drawing>',
    '</w:drawing>',
    'idx="9999999999"',
    '&amp;',
  ),
});

it('[uploads.markdown.limits] formulas and charts with malformed XML', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 4 }), async (cuts) => {
      const broken = (xml: string) =>
        cuts.reduce((text, { place, letters, instead }) => {
          const at = Math.floor((place / PLACES) * text.length);
          return text.slice(0, at) + instead + text.slice(at + letters);
        }, xml);
      const docx = await docxOf(
        [{ kind: 'xml', xml: broken(FORMULA + DRAWN) }],
        [
          { name: 'word/charts/chart1.xml', text: broken(CHART) },
          {
            name: 'word/_rels/document.xml.rels',
            text: relations([{ id: 'rChart', type: 'chart', target: 'charts/chart1.xml' }]),
          },
        ],
      );
      await endsSoon(markdownOf('.docx', docx));
    }),
    { seed: SEED, numRuns: amount(40, 100) },
  );
});
