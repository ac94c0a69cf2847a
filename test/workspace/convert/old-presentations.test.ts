// Presentations in the format before 2007, read without LibreOffice.
import { describe, expect, it } from 'vitest';
import { pptOf } from '../../support/documents/ppt.ts';
import { document, markdownOf, reasonOf } from '../../support/documents/reader.ts';

const read = (...args: Parameters<typeof pptOf>) => markdownOf('.ppt', pptOf(...args));

describe('a presentation in the old format', () => {
  it('[uploads.markdown.ppt] has its slides in order, with titles, bullets at their depth, links and notes', async () => {
    const markdown = await read([
      {
        title: 'The farm – “today”',
        bullets: ['Hay', { level: 1, text: 'and straw' }, { level: 2, text: 'für alle' }, 'Milk'],
        link: { text: 'our site', target: 'https://example.com/a b' },
        notes: 'Speak slowly.\rThen stop.',
      },
      { bullets: ['Only a text'] },
      { title: 'Two\vlines' },
    ]);
    expect(markdown).toBe(
      [
        '## Slide 1: The farm – “today”',
        '- Hay\n  - and straw\n    - für alle\n- Milk',
        '- See [our site](https://example.com/a%20b)\n- Bye.',
        '> Notes:\n> Speak slowly.\n> Then stop.',
        '## Slide 2',
        'Only a text',
        '## Slide 3: Two lines\n',
      ].join('\n\n'),
    );
  });

  it('[uploads.markdown.ppt] has tables, with a spanning cell repeated in each row, and descriptions of pictures', async () => {
    const table = [
      ['Year', 'What'],
      ['2025', 'Hay'],
      [null, 'Milk | fresh'],
    ];
    expect(await read([{ title: 'Numbers', table, pictures: ['A barn', ''] }])).toBe(
      [
        '## Slide 1: Numbers',
        '| Year | What |\n| --- | --- |\n| 2025 | Hay |\n| 2025 | Milk \\| fresh |',
        '[Picture: A barn]',
        '[Picture]\n',
      ].join('\n\n'),
    );
  });

  it('[uploads.markdown.ppt] shows a footer once, and no slide numbers', async () => {
    const footer = 'Farm & Co.';
    expect(
      await read([
        { title: 'One', footer },
        { title: 'Two', footer },
        { title: 'Three', footer: 'Else' },
      ]),
    ).toBe('## Slide 1: One\n\nFooter: Farm & Co.\n\n## Slide 2: Two\n\n## Slide 3: Three\n\nFooter: Else\n');
  });

  it('[uploads.markdown.ppt] is read in its last saved version', async () => {
    const before = [{ title: 'Old', notes: 'old' }, { title: 'Removed' }];
    expect(await read([{ title: 'New', notes: 'new' }], { before })).toBe(
      '## Slide 1: New\n\n> Notes:\n> new\n',
    );
  });

  it('[uploads.markdown.ppt] can be read as LibreOffice writes it', async () => {
    expect(await markdownOf('.ppt', document('slides.ppt'))).toBe(
      [
        '## Slide 1: The farm',
        '- Hay\n- and straw\n- Milk',
        '> Notes:\n> Speak slowly.',
        '## Slide 2',
        'Numbers',
        '| Name | Count | Price |\n| --- | --- | --- |\n| Hay | 12 | 3.50 |\n| Milk | 7 | 1.20 |\n',
      ].join('\n\n'),
    );
  });
});

describe('a presentation that cannot be read', () => {
  const whole = pptOf([{ title: 'The farm', bullets: ['Hay'] }]);
  const changed = (from: Buffer, to: Buffer): Buffer => {
    const at = whole.indexOf(from);
    expect(at).toBeGreaterThan(0);
    return Buffer.concat([whole.subarray(0, at), to, whole.subarray(at + to.length)]);
  };

  it('[uploads.markdown.failure] reports that a password protects it', async () => {
    const token = Buffer.from('14000000dfc4d1f3', 'hex');
    expect(await reasonOf('.ppt', changed(Buffer.from('140000005fc091e3', 'hex'), token))).toBe(
      'The PowerPoint presentation (.ppt) is protected with a password. Upload it without one.',
    );
  });

  it('[uploads.markdown.failure] reports that it is damaged, or has no text', async () => {
    const documentRecord = Buffer.from('0f00e803', 'hex');
    expect(await reasonOf('.ppt', changed(documentRecord, Buffer.from('0f000000', 'hex')))).toBe(
      'The PowerPoint presentation (.ppt) is damaged and could not be read.',
    );
    expect(await reasonOf('.ppt', pptOf([]))).toBe('The document has no text.');
  });

  it('[uploads.markdown.limits] shows a slide once, however often it is listed', async () => {
    const many = pptOf(Array.from({ length: 2_000 }, () => ({ title: 'x' })));
    // Makes every entry of the directory point to the first one.
    const first = many.indexOf(Buffer.from('02001000', 'hex'));
    for (let at = first; many.readUInt32LE(at) >>> 20 === 1; at += 8)
      many.writeUInt32LE(many.readUInt32LE(first + 4), at + 4);
    const markdown = await markdownOf('.ppt', many).catch(String);
    expect(markdown.match(/## Slide/g)?.length ?? 0).toBeLessThan(2);
  });
});
