// How a conversion goes on: waited for, told of, limited, stopped with its document, its thread or the service.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Desk, openDesk } from '../support/documents/desk.ts';
import { docxOf } from '../support/documents/docx.ts';
import { pdfOf } from '../support/documents/pdf.ts';

const opened: Desk[] = [];
afterEach(async () => {
  for (const desk of opened.splice(0)) await desk.service.close();
});

async function open(...options: Parameters<typeof openDesk>): Promise<Desk> {
  const desk = await openDesk(...options);
  opened.push(desk);
  return desk;
}

const PATIENCE = { timeout: 50_000, interval: 100 };
const small = pdfOf([[{ kind: 'paragraph', text: 'A page with some words.' }]]);
/** Minutes of work. */
const endless = docxOf(
  Array.from({ length: 300_000 }, (_, index) => ({
    kind: 'paragraph' as const,
    text: `${(index * 2_654_435_761) % 4_294_967_296} ${(index * 40_503) % 65_536}`,
  })),
);

const stateOf = async (desk: Desk, name: string) =>
  (await desk.listed()).find(({ filename }) => filename === name)?.conversion_status;

describe('a conversion that takes long', () => {
  it('[uploads.markdown.waiting] is not waited for; the list shows when it has ended', async () => {
    const desk = await open({ conversion: { wait_seconds: 0 } });
    const [record] = await desk.sent({ name: 'a.pdf', content: small });
    expect(record).toMatchObject({ filename: 'a.pdf', conversion_status: 'converting' });
    expect(record?.markdown_file).toBe(undefined);
    await vi.waitFor(async () => expect(await stateOf(desk, 'a.pdf')).toBe('converted'), PATIENCE);
    expect(desk.textOf('a.md')).toBe('A page with some words.\n');
  });

  it('[uploads.markdown.limits] is stopped when its time is over', async () => {
    const desk = await open({ conversion: { timeout_seconds: 2, memory_mb: 4_096 } });
    expect(await desk.reasonOf('a.docx', await endless)).toBe(
      'The conversion took longer than 2 s and was stopped.',
    );
  });

  it('[uploads.markdown.limits] is stopped when it takes too much memory', async () => {
    const desk = await open({ conversion: { timeout_seconds: 600, memory_mb: 256 } });
    expect(await desk.reasonOf('a.docx', await endless)).toMatch(/memory|too large/);
  });
});

describe('a conversion whose document goes', () => {
  const conversion = { wait_seconds: 0, at_once: 1, timeout_seconds: 600, memory_mb: 8_192 };

  it('[uploads.markdown.removed] ends immediately: the next one gets its place', async () => {
    const desk = await open({ conversion });
    await desk.sent({ name: 'a.docx', content: await endless });
    await desk.sent({ name: 'b.pdf', content: small });
    expect(await stateOf(desk, 'b.pdf')).toBe('converting');
    await desk.remove('a.docx');
    await vi.waitFor(async () => expect(await stateOf(desk, 'b.pdf')).toBe('converted'), PATIENCE);
    expect(desk.kept()).toEqual(['b.md', 'b.pdf']);
  });

  it('[uploads.markdown.removed] ends with its thread, and brings nothing of it back', async () => {
    const desk = await open({ conversion });
    await desk.sent({ name: 'a.docx', content: await endless });
    await desk.client.delete(`/api/threads/${desk.threadId}`);
    const before = desk.kept();
    await desk.clear();
    await desk.sent({ name: 'b.pdf', content: small });
    await vi.waitFor(async () => expect(await stateOf(desk, 'b.pdf')).toBe('converted'), PATIENCE);
    expect(before).toEqual([]);
  });

  it('[uploads.markdown.waiting] ends with the service, and says so afterwards', async () => {
    const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
    const database = { url: `sqlite:${join(dataHome, 'service.db')}` };
    const desk = await openDesk({ conversion, dataHome, config: { database } });
    await desk.sent({ name: 'a.docx', content: await endless });
    await desk.service.close();
    const again = await open({ dataHome, threadId: desk.threadId, config: { database } });
    expect(await again.listed()).toMatchObject([
      {
        filename: 'a.docx',
        conversion_status: 'failed',
        conversion_error: 'The conversion was stopped. Upload the document again.',
      },
    ]);
    await again.service.close();
    opened.pop();
    await rm(dataHome, { recursive: true });
  });
});

describe('conversion', () => {
  it('[fair.conversions] a document that may not wait says so, and stays', async () => {
    const conversion = {
      wait_seconds: 0,
      at_once: 1,
      waiting_per_user: 0,
      timeout_seconds: 600,
      memory_mb: 8_192,
    };
    const desk = await open({ conversion });
    await desk.sent({ name: 'a.docx', content: await endless });
    await desk.sent({ name: 'b.pdf', content: small });
    await vi.waitFor(async () => expect(await stateOf(desk, 'b.pdf')).toBe('failed'), PATIENCE);
    const [, refused] = await desk.listed();
    expect(refused?.conversion_error).toMatch(
      /^Too many of your conversions are waiting already\. Try again in .* Upload the document again then\.$/,
    );
    expect(desk.kept()).toEqual(['a.docx', 'b.pdf']);
    await desk.remove('a.docx');
  });

  it('[uploads.markdown.waiting] may be switched off', async () => {
    const desk = await open({ conversion: { enabled: false } });
    const [record] = await desk.sent({ name: 'a.pdf', content: small });
    expect(record).not.toHaveProperty('conversion_status');
    expect(desk.kept()).toEqual(['a.pdf']);
  });
});
