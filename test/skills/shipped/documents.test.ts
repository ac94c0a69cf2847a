// Shipped skills that make documents, with a scripted model. The service itself reads the documents back.
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSkillRuns, programsRun, type SkillRuns } from '../../support/skill-run.ts';

const canRun = await programsRun();

let runs: SkillRuns;
beforeAll(async () => {
  runs = await openSkillRuns();
});
afterAll(() => runs.close());

/** Returns a downloaded document as the service's own converter reads it. */
async function markdownOf(name: string, content: Uint8Array): Promise<string> {
  const [upload] = await runs.upload({ [name]: content });
  const path = `/api/threads/${runs.threadId}/artifacts/mnt/user-data/uploads/${upload?.markdown_file}`;
  return (await runs.client.get(path)).text();
}

/** Returns a gray picture of one pixel; nothing checks the checksums. */
function pixel(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from([0, 128]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const REPORT = `---
title: Harbour café – autumn
author: Ana Petit
---
# Summary

Sales rose by **12 %** to *€ 48,200*; see [the figures](https://example.com/a?b=1&c=2) & \`a < b\`.

- Coffee
  - Espresso
- Tea

## Visitors

| Month | Visitors |
| :---- | -------: |
| July  |    1,200 |
| August | 1,460 |

1. Open earlier
2. Ask again

\`\`\`
total = 2 + 2
\`\`\`

![Visitors by month](/mnt/user-data/uploads/pixel.png)
`;

describe.skipIf(!canRun)('documents that skills make', () => {
  it('[shipped-skills.report-writing] a report is the same in Word and in PDF', async () => {
    expect(await runs.read('report-writing')).toContain('make_docx.py');
    await runs.upload({ 'pixel.png': pixel() });
    await runs.write('report.md', REPORT);
    await runs.run('report-writing', 'python3 $S/make_docx.py report.md ../outputs/report.docx --contents');
    await runs.run('report-writing', 'python3 $S/make_pdf.py report.md ../outputs/report.pdf');

    const docx = await markdownOf('report.docx', await runs.present('report.docx'));
    expect(docx).toMatch(/^#+ Summary$/m);
    expect(docx).toContain('Sales rose by **12 %** to _€ 48,200_');
    expect(docx).toContain('[the figures](https://example.com/a?b=1&c=2)');
    expect(docx).toMatch(/- +Coffee\n +- +Espresso\n- +Tea/);
    expect(docx).toContain('| Month | Visitors |\n| --- | --- |\n| July | 1,200 |');
    expect(docx).toMatch(/1\. +Open earlier\n2\. +Ask again/);
    expect(docx).toContain('total = 2 + 2');

    const pdf = await runs.present('report.pdf');
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    const text = (await markdownOf('report.pdf', pdf)).replace(/\s+/g, ' ');
    for (const words of ['Harbour café', 'Summary', '€ 48,200', 'a < b', 'Espresso', '1,460', 'Ask again'])
      expect(text).toContain(words);
  });

  it('[shipped-skills.report-writing.characters] a PDF font without a character is refused, or shows that it lacks it', async () => {
    await runs.write('greek.md', 'Αθήνα, and 5 − 3 = 2');
    const make = 'python3 $S/make_pdf.py greek.md greek.pdf --engine builtin';
    expect(await runs.run('report-writing', make, 1)).toMatch(
      /^Error: The fonts of the PDF do not have Α θ ή ν α\./,
    );
    await runs.run('report-writing', 'test ! -e greek.pdf');
    expect(await runs.run('report-writing', `${make} --replace`)).toContain(
      'shown as question marks: Α θ ή ν α',
    );
  });

  it('[shipped-skills.slides] a deck has its cover, slides, table, picture and notes', async () => {
    expect(await runs.read('slides')).toContain('make_pptx.py');
    await runs.upload({ 'shore.png': pixel() });
    await runs.write(
      'deck.md',
      [
        '---\ntitle: Harbour café\nsubtitle: Board\n---',
        '## Coffee **carries** the growth\n- Espresso & milk\n  - <18 %>\nNotes:\nSay why.',
        '# Next',
        '## Visitors\n| Month | Visitors |\n|---|---:|\n| July | 1,200 |',
        '## The shore\n![The shore](/mnt/user-data/uploads/shore.png)\n- North',
      ].join('\n\n'),
    );
    expect(await runs.run('slides', 'python3 $S/make_pptx.py deck.md ../outputs/deck.pptx')).toContain(
      '5 slides, 1 with notes',
    );
    const read = await markdownOf('deck.pptx', await runs.present('deck.pptx'));
    for (const words of ['Harbour café', 'Coffee carries the growth', 'Espresso & milk', 'Say why.', 'Next'])
      expect(read).toContain(words);
    expect(read).toContain('| Month | Visitors |\n| --- | --- |\n| July | 1,200 |');
    await runs.write(
      'full.md',
      `## Much\n${'- a line of words that goes on and on and on and on\n'.repeat(40)}`,
    );
    expect(await runs.run('slides', 'python3 $S/make_pptx.py full.md full.pptx', 1)).toMatch(
      /^Error: The slide 'Much' has too much text: split it/,
    );
  });

  it('[shipped-skills.document-comparison] two versions become a report, figures first', async () => {
    expect(await runs.read('document-comparison')).toContain('compare_documents.py');
    await runs.upload({
      'old.md':
        '# Lease\n\nThe rent is € 1,200 a month.\n\nPets are allowed with consent in writing.\n\nThe deposit is two rents.\n\nThe end.\n',
      'new.md':
        '# Lease\n\nPets are allowed with consent in writing.\n\nThe rent is € 1,350 a month.\n\nThe end.\n\nA key <b> is handed over.\n',
    });
    const compare = 'python3 $S/compare_documents.py ../uploads/old.md ../uploads/new.md';
    await runs.run('document-comparison', `${compare} changes.md && ${compare} ../outputs/comparison.html`);
    const changes = await runs.run('document-comparison', 'cat changes.md');
    expect(changes).toContain('Paragraphs: 1 changed, 1 added, 1 removed, 0 moved, 3 same.');
    expect(changes).toContain('| old 2, new 3 | 1,200 | 1,350 |');
    expect(changes).toContain('The rent is € ~~1,200~~**1,350** a month.');
    expect(changes).toContain('- *removed* (old 4): The deposit is two rents.');
    const page = await runs.presentText('comparison.html');
    expect(page).toContain('<del>1,200</del><ins>1,350</ins>');
    expect(page).toContain('A key &lt;b&gt; is handed over.');
  });

  it('[shipped-skills.translation] losses of a translation are found, and none in a good one', async () => {
    expect(await runs.read('translation')).toContain('check_translation.py');
    await runs.write(
      'source.md',
      '# Lease\n\nThe tenant pays {sum} by 1 May 2026. The tenant gives notice.\n',
    );
    await runs.write('glossary.csv', 'source,target\ntenant,Mieter\nlease,Mietvertrag\n');
    await runs.write(
      'good.md',
      '# Mietvertrag\n\nDer Mieter zahlt {sum} bis 1. Mai 2026. Der Mieter kündigt.\n',
    );
    await runs.write(
      'bad.md',
      '# Mietvertrag\n\nDer Mieter zahlt {summe} bis 1. Mai 2025. Der Pächter kündigt.\n',
    );
    const check = (file: string) =>
      `python3 $S/check_translation.py source.md ${file} --glossary glossary.csv`;
    expect(await runs.run('translation', check('good.md'))).toContain('0 findings, 2 terms checked');
    const found = await runs.run('translation', check('bad.md'), 1);
    expect(found.trim().split('\n')).toEqual([
      'Paragraph 2: the placeholder {sum} is missing',
      'Paragraph 2: the placeholder {summe} is not in the source',
      'Paragraph 2: the figure 2026 is missing',
      'Paragraph 2: the figure 2025 is not in the source',
      "Paragraph 2: 'tenant' stands 2 times, 'Mieter' 1 times",
      '5 findings, 2 terms checked',
    ]);
    await runs.run('translation', 'python3 $S/propose_terms.py source.md ../outputs/terms.csv');
    expect(await runs.presentText('terms.csv')).toMatch(/^source,target,note\r?\n/);
  });
});
