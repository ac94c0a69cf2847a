// The process that converts where there is no box: what it reads all the same, and what it may not do.
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { boxedCommand, plainCommand } from '../../../src/workspace/convert/conversion-command.ts';
import { conversionOptionsSchema } from '../../../src/workspace/convert/conversion-options.ts';
import { createProcessConverter } from '../../../src/workspace/convert/process-converter.ts';
import { docxOf } from '../../support/documents/docx.ts';
import { pdfOf } from '../../support/documents/pdf.ts';
import { pptxOf } from '../../support/documents/pptx.ts';
import { xlsxOf } from '../../support/documents/xlsx.ts';

const options = conversionOptionsSchema.parse({});
const converter = createProcessConverter({
  options,
  command: async (order) => plainCommand(order, options),
});
const folder = await mkdtemp(join(tmpdir(), 'plain-process-'));
afterAll(() => rm(folder, { recursive: true }));

async function converted(extension: string, bytes: Buffer) {
  const path = join(folder, `document${extension}`);
  await writeFile(path, bytes);
  const file = await open(path);
  try {
    return await converter.convert({ fd: file.fd, extension, signal: new AbortController().signal });
  } finally {
    await file.close();
  }
}

describe('without a box', () => {
  it('[uploads.markdown.structure] documents are read', async () => {
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

  it('[hostile.S13] the process reads no files but its own, starts none, writes none, and asks nobody', () => {
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

  it('[hostile.S13] in a box, the folders of this machine are not even named to the process', async () => {
    const order = { extension: '.docx', maxMarkdownBytes: 1, maxUnpackedBytes: 1 } as const;
    const { args } = await boxedCommand(order, options, undefined);
    expect(args.join(' ')).not.toContain(process.cwd());
  });
});

function caught(code: string): string {
  return `try { ${code}; console.log('done') } catch (error) { console.log(error.code ?? error.cause?.message ?? error.message, error.message) }`;
}
