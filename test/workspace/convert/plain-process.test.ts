// The process that converts where there is no box: what it can still read, and what it must not do.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { boxedCommand, plainCommand } from '../../../src/workspace/convert/conversion-command.ts';
import { conversionOptionsSchema } from '../../../src/workspace/convert/conversion-options.ts';
import { createProcessConverter } from '../../../src/workspace/convert/process-converter.ts';
import { testConfinement } from '../../support/confinement.ts';
import { docxOf } from '../../support/documents/docx.ts';
import { encryptedPdf, pdfOf } from '../../support/documents/pdf.ts';
import { pptxOf } from '../../support/documents/pptx.ts';
import { xlsxOf } from '../../support/documents/xlsx.ts';

const options = conversionOptionsSchema.parse({});
const converter = createProcessConverter({
  options,
  command: async (order) => plainCommand(order, options),
});
const document = (name: string) => readFileSync(new URL(`../../documents/${name}`, import.meta.url));
const FARM = [
  '# The farm',
  'The year was long and went well for everybody on the farm, as it did the year before.',
  '## What we did',
  '- Built a barn\n- with a roof\n- Sold hay',
  'Our site',
  '## What we have',
  '| Name | Count | Price |\n| --- | --- | --- |\n| Hay | 12 | 3.50 |\n| Milk | 7 | 1.20 |',
  'Übermut tut selten gut: 10 € für ein Käsebrötchen.\n',
].join('\n\n');
const folder = await mkdtemp(join(tmpdir(), 'plain-process-'));
afterAll(() => rm(folder, { recursive: true }));

async function converted(extension: string, bytes: Buffer) {
  const path = join(folder, `document${extension}`);
  await writeFile(path, bytes);
  const file = await open(path);
  try {
    const { signal } = new AbortController();
    return await converter.convert({ userId: 'ada', fd: file.fd, extension, signal });
  } finally {
    await file.close();
  }
}

describe('without a box', () => {
  it('[uploads.markdown.structure] documents can be read', async () => {
    const paragraph = { kind: 'paragraph', text: 'A page with words.' } as const;
    const documents = [
      ['.pdf', pdfOf([[paragraph]]), 'A page with words.\n'],
      ['.docx', await docxOf([paragraph]), 'A page with words.\n'],
      ['.xlsx', await xlsxOf([{ name: 'a', rows: [['b']] }]), '## a\n\n| b |\n| --- |\n'],
      ['.pptx', await pptxOf([{ title: 'a' }]), '## Slide 1: a\n'],
    ] as const;
    for (const [extension, bytes, markdown] of documents)
      expect(await converted(extension, bytes)).toEqual({ kind: 'converted', markdown });
  });

  it('[uploads.markdown.unboxed] no native code is loaded, and a PDF can still be read', async () => {
    const task = { extension: '.pdf', maxMarkdownBytes: 1, maxUnpackedBytes: 1 } as const;
    expect(plainCommand(task, options).args).not.toContain('--allow-addons');
    expect(await converted('.pdf', document('farm.pdf'))).toEqual({ kind: 'converted', markdown: FARM });
  });

  it('[uploads.markdown.unboxed] headings, lists and tables of a PDF are detected by size and position', async () => {
    const pages = pdfOf([
      [
        { kind: 'heading', level: 1, text: 'Sales' },
        { kind: 'paragraph', text: 'One line of words that goes on for a while.' },
        { kind: 'heading', level: 2, text: 'March' },
        { kind: 'list', items: ['hay', 'milk'] },
      ],
      [
        {
          kind: 'table',
          rows: [
            ['What', 'Sum'],
            ['Hay', '12'],
          ],
        },
      ],
    ]);
    const markdown = [
      '# Sales\n\nOne line of words that goes on for a while.\n\n## March\n\n- hay\n- milk\n\n',
      '| What | Sum |\n| --- | --- |\n| Hay | 12 |\n',
    ].join('');
    expect(await converted('.pdf', pages)).toEqual({ kind: 'converted', markdown });
  });

  it('[uploads.markdown.unboxed] a PDF that is locked, broken, empty or no PDF has a reason', async () => {
    const farm = document('farm.pdf');
    const reasons = [
      [document('locked.pdf'), /^The PDF is protected with a password\. Upload it without one\.$/],
      [encryptedPdf(), /^The PDF is (?:protected|damaged)/],
      [pdfOf([[]]), /^The PDF has no text; its pages may be pictures \(a scan\)\.$/],
      [Buffer.from(`%PDF-1.7\n${'1 0 obj << /A 1 0 R >> endobj\n'.repeat(2_000)}`), /^The PDF /],
    ] as const;
    for (const [bytes, reason] of reasons)
      expect(await converted('.pdf', bytes)).toEqual({
        kind: 'failed',
        reason: expect.stringMatching(reason),
      });
    const noisy = Buffer.from(farm.map((byte, at) => (at < 1_024 || at % 7 !== 0 ? byte : byte ^ 0x5a)));
    for (const bytes of [noisy, farm.subarray(0, farm.length / 3)])
      expect(JSON.stringify(await converted('.pdf', bytes))).not.toMatch(/\/work|node_modules|Error/);
  });

  it('[uploads.markdown.noise] a file of noise with the name of an old workbook is refused, not read as a sheet', async () => {
    const sheets = document('sheets.xls');
    const begin = sheets.indexOf(Buffer.from('0908100000060500', 'hex'));
    const after = begin + 20;
    const end = begin + 2_600;
    const noise = Buffer.from(Array.from({ length: end - after }, (_, at) => (at * 7_919) % 251));
    const damaged = [
      Buffer.from(sheets).fill(0, begin, end),
      Buffer.from(sheets).fill('words, and no workbook\n', begin, end),
      Buffer.from(sheets).fill(noise, after, end),
      Buffer.from(sheets).fill(noise, begin + 1_300, end),
    ];
    for (const bytes of damaged)
      expect(await converted('.xls', bytes)).toEqual({
        kind: 'failed',
        reason: 'The Excel workbook (.xls) is damaged and could not be read.',
      });
    for (const bytes of [noise, Buffer.from('a,b\n1,2\n'), Buffer.from('<table><tr><td>1</td></tr></table>')])
      expect(await converted('.xls', bytes)).toEqual({
        kind: 'failed',
        reason: expect.stringContaining('is not the Excel workbook (.xls) that its name says'),
      });
    expect(await converted('.xls', sheets)).toMatchObject({ kind: 'converted' });
  });

  it('[hostile.S13] the process reads no files but its own, starts none, writes none, and opens no connection', () => {
    const order = { extension: '.docx', maxMarkdownBytes: 1, maxUnpackedBytes: 1 } as const;
    const { args } = plainCommand(order, options);
    const permissions = args.filter((arg) => arg.startsWith('--permission') || arg.startsWith('--allow'));
    const deeds = {
      read: 'process.getBuiltinModule("fs").readFileSync("/etc/passwd")',
      write: 'process.getBuiltinModule("fs").writeFileSync("/tmp/written", "")',
      start: 'process.getBuiltinModule("child_process").execFileSync("true")',
      ask: `await import(${JSON.stringify(new URL('../../../src/workspace/convert/child/without-network.ts', import.meta.url).href)}); await fetch("http://127.0.0.1:8123")`,
    };
    for (const [deed, code] of Object.entries(deeds)) {
      const said = execFileSync(
        process.execPath,
        [...permissions, '--input-type=module', '--eval', caught(code)],
        {
          encoding: 'utf8',
        },
      );
      expect([deed, said]).toEqual([deed, expect.stringMatching(/ERR_ACCESS_DENIED|no network/)]);
    }
  });

  it("[hostile.S13] in a box, the process does not even learn the names of this machine's folders", async () => {
    const order = { extension: '.docx', maxMarkdownBytes: 1, maxUnpackedBytes: 1 } as const;
    const box = await testConfinement();
    const { args } = await boxedCommand(order, { ...options, box, libreOffice: undefined });
    expect(args.join(' ')).not.toContain(process.cwd());
  });
});

function caught(code: string): string {
  return `try { ${code}; console.log('done') } catch (error) { console.log(error.code ?? error.cause?.message ?? error.message, error.message) }`;
}
