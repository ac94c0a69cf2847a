// Word documents in the format before 2007, read without LibreOffice.
import { describe, expect, it } from 'vitest';
import { type DocFormat, docOf, oldDocOf } from '../../support/documents/doc.ts';
import { document, markdownOf, reasonOf } from '../../support/documents/reader.ts';

const said = async (...pieces: Parameters<typeof docOf>[0]['pieces'][number][]) =>
  (await markdownOf('.doc', docOf({ pieces }))).trimEnd();
const bytes = (text: string) => ({ text, in: 'bytes' }) as const;
const utf16 = (text: string) => ({ text, in: 'utf16' }) as const;
const link = (quoted: string, words: string) => `\u0013 HYPERLINK ${quoted} \u0014${words}\u0015`;

describe('the characters of an old Word document', () => {
  it('[uploads.markdown.doc] may be single bytes or pairs of bytes, with the quotes and dashes of Windows', async () => {
    expect(await said(bytes('5 \x80 f\xfcr \x93Milch\x94 \x96 '), utf16('“Käse” ≤ 7 \u0093x\u0094\r'))).toBe(
      '5 € für “Milch” – “Käse” ≤ 7 “x”',
    );
  });

  it('[uploads.markdown.doc] lose no words around marks of pictures, notes, breaks and hyphens', async () => {
    expect(
      await said(bytes('soft\x1fness, co\x1eop, a\x01\x08 picture\x05\x02, one\x0btwo\x0cthree\r')),
    ).toBe('softness, co-op, a[Picture] picture, one\ntwo\n\nthree');
    // Colors of other alphabets, which resemble a deletion to a reader that reads too few of their bytes.
    const letters = [{ begin: 4, end: 9, says: [[0x4a60, 1, 2]] }] as const;
    expect(await markdownOf('.doc', docOf({ pieces: [bytes('The green field\r')], letters }))).toBe(
      'The green field\n',
    );
  });

  it('[uploads.markdown.doc] have links with their words, however quoted; other fields are their results', async () => {
    expect(await said(utf16(`See ${link('"https://example.com/a"', 'our “site”')}.\r`))).toBe(
      'See [our “site”](https://example.com/a).',
    );
    expect(await said(bytes(`See ${link('\x93https://example.com/b\x94', '\x93here\x94')}.\r`))).toBe(
      'See [“here”](https://example.com/b).',
    );
    expect(
      await said(
        utf16(`Go ${link('\\l "top"', 'up')}, page \u0013 PAGE \u001412\u0015, \u0013 TC x \u0015ok\r`),
      ),
    ).toBe('Go up, page 12, ok');
    expect(
      await said(
        utf16(
          `\u0013 IF \u0013 PAGE \u00141\u0015 = 1 \u0014It is ${link('"https://e.com"', 'one')}\u0015\r`,
        ),
      ),
    ).toBe('It is [one](https://e.com)');
  });

  it('[uploads.markdown.doc] remain where the marks of a field are unbalanced', async () => {
    expect(await said(utf16('four \u0015 five \u0014six\u0015\r'))).toBe('four  five six');
    expect(await said(utf16('one \u0013 two three\rfour \u0014 five\r'))).toBe(
      'one  two three\n\nfour  five',
    );
  });

  it('[uploads.markdown.doc] are omitted if they are tracked deletions', async () => {
    const letters = [{ begin: 4, end: 8, says: [[0x0800, 1, 1]] }] as const;
    expect(await markdownOf('.doc', docOf({ pieces: [bytes('The old barn\r')], letters }))).toBe(
      'The barn\n',
    );
  });
});

describe('the paragraphs of an old Word document', () => {
  it('[uploads.markdown.doc] are headings, list items and table rows', async () => {
    const lines = [
      'The farm\r',
      'Hay\r',
      'straw\r',
      'Text\r',
      'A\u0007',
      'B\u0007',
      '\u0007',
      '1\u0007',
      '2\u0007',
      '\u0007',
    ];
    const cell: DocFormat = { says: [[0x2416, 1, 1]] };
    const rowEnd: DocFormat = {
      says: [
        [0x2416, 1, 1],
        [0x2417, 1, 1],
      ],
    };
    const row = [cell, cell, rowEnd];
    const formats: readonly DocFormat[] = [
      { style: 2 },
      { says: [[0x460b, 3, 2]] },
      {
        says: [
          [0x260a, 1, 1],
          [0x460b, 3, 2],
        ],
      },
      {},
      ...row,
      ...row,
    ];
    let begin = 0;
    const paragraphs = formats.map((format, index) => {
      const run = { ...format, begin, end: begin + (lines[index]?.length ?? 0) };
      begin = run.end;
      return run;
    });
    expect(await markdownOf('.doc', docOf({ pieces: [bytes(lines.join(''))], paragraphs }))).toBe(
      '## The farm\n\n- Hay\n  - straw\n\nText\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n',
    );
  });

  it('[uploads.markdown.doc] are those of the text, then footnotes; headers are omitted', async () => {
    const pieces = [bytes('Text\u0002\r'), bytes('\u0002 A note\r'), utf16('A header\r')];
    const lengths = pieces.map(({ text }) => text.length);
    expect(await markdownOf('.doc', docOf({ pieces, lengths }))).toBe('Text\n\nA note\n');
  });

  it('[uploads.markdown.doc] of Word 95 are read, tables by their empty cells', async () => {
    expect(await markdownOf('.doc', oldDocOf('F\xfcr alle\rA\x07B\x07\x071\x072\x07\x07End\r'))).toBe(
      'Für alle\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nEnd\n',
    );
  });

  it('[uploads.markdown.doc] can be read as LibreOffice writes them', async () => {
    expect(await markdownOf('.doc', document('farm.doc'))).toBe(
      [
        '# The farm',
        'The year was long and went well for everybody on the farm, as it did the year before.',
        '## What we did',
        '- Built a barn\n  - with a roof\n- Sold hay',
        '[Our site](https://example.com/farm)',
        '## What we have',
        '| Name | Count | Price |\n| --- | --- | --- |\n| Hay | 12 | 3.50 |\n| Milk | 7 | 1.20 |',
        'Übermut tut selten gut: 10 € für ein Käsebrötchen.\n',
      ].join('\n\n'),
    );
  });

  it('[uploads.markdown.failure] are damaged in a file that does not locate its text', async () => {
    const whole = docOf({ pieces: [bytes('Text\r')] });
    const lost = Buffer.from(whole);
    lost.writeUInt32LE(0x7fff_ffff, lost.indexOf(Buffer.from('eca5', 'hex')) + 0x1a2);
    expect(await reasonOf('.doc', lost)).toBe('The Word document (.doc) is damaged and could not be read.');
  });
});
