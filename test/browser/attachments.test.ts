// Files that go with a message: chosen, dropped and pasted, as the person sees them.
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { pdfOf } from '../support/documents/pdf.ts';
import {
  axeViolations,
  eventually,
  messageBox,
  PATIENCE,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;
const CONFIG = 'uploads: { max_file_mb: 1 }\n';
const MIB = 1_048_576;
/** One red pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

describe('files of a message', PATIENCE, () => {
  const chat = chatForTests(CONFIG);
  const choose = (app: WebApp, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) =>
    app.page.locator('input[type=file][aria-label="Files to add"]').setInputFiles(files);
  const chip = (app: WebApp, name: string) => app.page.locator(`[data-attachment="${name}"]`);
  const stateOf = (app: WebApp, name: string) => () => chip(app, name).getAttribute('data-attachment-state');
  const sent = ({ page }: WebApp) => page.getByRole('list', { name: 'Files of this message' });
  const look = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/attach-${name}.png` });
    expect(await axeViolations(page)).toEqual([]);
  };

  it('[web.upload] uploads chosen files, sends them with the message, and shows them after a reload', async () => {
    const { app } = chat;
    await messageBox(app.page).fill('What is in these?');
    await choose(app, [
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes') },
      { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
    ]);
    await eventually(stateOf(app, 'notes.md')).toBe('done');
    await eventually(stateOf(app, 'pixel.png')).toBe('done');
    await eventually(() => app.page.url()).toMatch(/\/threads\//);
    await look(app, 'light');
    expect(await messageBox(app.page).inputValue()).toBe('What is in these?');
    await app.page.reload();
    await eventually(stateOf(app, 'notes.md')).toBe('done');
    await messageBox(app.page).press('Enter');
    await sent(app).getByText('notes.md').waitFor();
    await app.untilIdle();
    await app.untilAnswer(/demo model/);
    await app.page.reload();
    await sent(app).getByRole('button', { name: 'pixel.png' }).waitFor();
    await look(app, 'sent');
    expect(await chip(app, 'notes.md').count()).toBe(0);
    const threadId = new URL(app.page.url()).pathname.split('/').at(-1);
    const state = await app.page.request.get(`/api/threads/${threadId}/state`);
    expect(await state.json()).toMatchObject({
      values: {
        messages: expect.arrayContaining([
          expect.objectContaining({
            type: 'human',
            additional_kwargs: {
              files: [
                {
                  filename: 'notes.md',
                  size: 7,
                  path: '/mnt/user-data/uploads/notes.md',
                  status: 'uploaded',
                },
                expect.objectContaining({ filename: 'pixel.png' }),
              ],
            },
          }),
        ]),
      },
    });
    expect(app.complaints).toEqual([]);
  });

  it('[web.upload.wordless] sends files without text, and a later message refers to them', async () => {
    const { app } = chat;
    await choose(app, { name: 'alone.md', mimeType: 'text/markdown', buffer: Buffer.from('# Alone') });
    await eventually(stateOf(app, 'alone.md')).toBe('done');
    await look(app, 'wordless');
    await app.page.getByRole('button', { name: 'Send', exact: true }).click();
    await sent(app).getByText('alone.md').waitFor();
    await app.untilAnswer(/demo model/);
    await app.untilIdle();
    await eventually(() => app.page.title()).toMatch(/alone\.md/);
    await app.page.reload();
    await sent(app).getByText('alone.md').waitFor();
    await look(app, 'wordless-sent');
    await app.page.getByRole('button', { name: 'Edit message' }).click();
    await app.page.getByRole('textbox', { name: 'Your message' }).fill('read uploads/alone.md');
    await app.page.keyboard.press('Enter');
    await app.untilAnswer(/Alone/);
    await sent(app).getByText('alone.md').waitFor();
    expect(app.complaints).toEqual([]);
  });

  it('[web.url] names a chat that began with a file in the list during its first reply', async () => {
    const { app } = chat;
    await choose(app, { name: 'first.txt', mimeType: 'text/plain', buffer: Buffer.from('first') });
    await eventually(stateOf(app, 'first.txt')).toBe('done');
    await app.send('count to 2000');
    await app.untilAnswer(/\b30\b/);
    await threadList(app.page)
      .getByRole('link', { name: /count to 2000/ })
      .waitFor();
    await app.page.getByRole('button', { name: 'Stop' }).click();
    await app.untilIdle();
  });

  it('[web.upload.refused] shows why a file is refused before it is sent, and sends the message without it', async () => {
    const { app } = chat;
    const handedIn: number[] = [];
    app.page.on('request', (request) => {
      if (request.url().endsWith('/uploads')) handedIn.push(request.postDataBuffer()?.length ?? 0);
    });
    await choose(app, [
      { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(MIB + 1) },
      { name: 'small.txt', mimeType: 'text/plain', buffer: Buffer.from('small') },
    ]);
    await eventually(() => chip(app, 'large.bin').textContent()).toContain('larger than 1 MB');
    await eventually(stateOf(app, 'small.txt')).toBe('done');
    expect(handedIn).toHaveLength(1);
    expect(await app.page.getByRole('button', { name: 'Try again: large.bin' }).count()).toBe(0);
    await look(app, 'refused');
    await app.page.getByRole('button', { name: 'Remove large.bin' }).click();
    await app.send('Look at it');
    await sent(app).getByText('small.txt').waitFor();
  });

  it('[web.upload.refused] shows the reason afterwards if the limit is unknown', async () => {
    const { app } = chat;
    await app.page.route('**/uploads/limits', (route) => route.abort());
    await choose(app, {
      name: 'large.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(MIB + 1),
    });
    await eventually(() => chip(app, 'large.bin').textContent()).toContain('larger than 1 MB');
  });

  it('[web.upload.progress] shows the progress of two uploads, lets others wait, and cancels one', async () => {
    const { app } = chat;
    const held: (() => void)[] = [];
    await app.page.route('**/uploads', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => {});
    });
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: randomBytes(64) });
    await choose(app, [file('one.txt'), file('two.txt'), file('three.txt'), file('four.txt')]);
    await eventually(stateOf(app, 'two.txt')).toBe('sending');
    await eventually(() => held.length).toBe(2);
    expect(await stateOf(app, 'three.txt')()).toBe('waiting');
    await app.page.getByRole('progressbar', { name: 'Upload of one.txt' }).waitFor();
    await messageBox(app.page).fill('not yet');
    expect(await app.page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await app.page.getByRole('button', { name: 'Cancel one.txt' }).click();
    await eventually(stateOf(app, 'three.txt')).toBe('sending');
    await eventually(() => held.length).toBe(3);
    await look(app, 'progress');
    for (const release of held.splice(0)) release();
    await eventually(() => held.length).toBe(1);
    for (const release of held.splice(0)) release();
    for (const name of ['two.txt', 'three.txt', 'four.txt'])
      await eventually(stateOf(app, name)).toBe('done');
    expect(await chip(app, 'one.txt').count()).toBe(0);
    await messageBox(app.page).press('Enter');
    await eventually(() => sent(app).getByRole('listitem').count()).toBe(3);
  });

  it('[web.upload.retry] retries an upload that broke off', async () => {
    const { app } = chat;
    await app.page.route('**/uploads', (route) => route.abort());
    await choose(app, { name: 'again.txt', mimeType: 'text/plain', buffer: Buffer.from('again') });
    await eventually(stateOf(app, 'again.txt')).toBe('failed');
    await app.page.unroute('**/uploads');
    await app.page.getByRole('button', { name: 'Try again: again.txt' }).click();
    await eventually(stateOf(app, 'again.txt')).toBe('done');
  });

  it('[web.upload.drop] accepts files that are dropped or pasted, but not text', async () => {
    const { app } = chat;
    // Again until the page, which is drawn before it listens, has heard of it.
    await eventually(async () => {
      await dispatch(app.page, 'dragenter', ['dropped.csv']);
      return app.page.getByText('Drop the files to add them').count();
    }).toBe(1);
    await look(app, 'drop');
    await dispatch(app.page, 'drop', ['dropped.csv']);
    await eventually(stateOf(app, 'dropped.csv')).toBe('done');
    expect(await app.page.getByText('Drop the files to add them').count()).toBe(0);
    await messageBox(app.page).focus();
    await dispatch(app.page, 'paste', ['image.png']);
    await eventually(stateOf(app, 'image.png')).toBe('done');
    await dispatch(app.page, 'paste', ['image.png']);
    await eventually(stateOf(app, 'image (1).png')).toBe('done');
    expect(app.complaints).toEqual([]);
  });

  it('[web.upload.keyboard] adds and removes files by keyboard alone', async () => {
    const { app } = chat;
    // Asked for long before it comes: the browser has to be told that no dialog of the system is wanted.
    const chooser = app.page.waitForEvent('filechooser');
    const focused = () => app.page.evaluate('document.activeElement?.getAttribute("aria-label")');
    await messageBox(app.page).focus();
    await eventually(focused).toBe('Message');
    await app.page.keyboard.press('Tab');
    await eventually(focused).toBe('Add files');
    await app.page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await eventually(stateOf(app, 'keys.txt')).toBe('done');
    await messageBox(app.page).focus();
    await eventually(focused).toBe('Message');
    const removed = app.page.waitForResponse((it) => it.request().method() === 'DELETE');
    await app.page.keyboard.press('Shift+Tab');
    await app.page.keyboard.press('Enter');
    expect((await removed).status()).toBe(200);
    await eventually(() => chip(app, 'keys.txt').count()).toBe(0);
  });

  it('[web.upload] [web.axe] fits a phone', async () => {
    const phone = await chat.open('/', {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      isMobile: true,
    });
    await choose(phone, [
      { name: 'a photograph with a rather long name.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(MIB + 1) },
    ]);
    await eventually(stateOf(phone, 'large.bin')).toBe('failed');
    for (const colorScheme of ['light', 'dark'] as const) {
      await phone.page.emulateMedia({ colorScheme });
      await look(phone, `phone-${colorScheme}`);
    }
    const send = await phone.page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    expect((send?.x ?? 0) + (send?.width ?? 0)).toBeLessThan(390);
  });
});

describe('documents of a message', PATIENCE, () => {
  const chat = chatForTests('uploads: { conversion: { wait_seconds: 0 } }\n');

  it('[web.upload.conversion] shows that they are being converted, and why one was not', async () => {
    const { app } = chat;
    const { page } = app;
    const chip = (name: string) => page.locator(`[data-attachment="${name}"]`);
    const pdf = pdfOf([[{ kind: 'paragraph', text: 'A page with some words.' }]]);
    const answered = page.waitForResponse(
      (it) => it.request().method() === 'POST' && it.url().endsWith('/uploads'),
    );
    const input = page.locator('input[type=file][aria-label="Files to add"]');
    await input.setInputFiles({ name: 'good.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) });
    expect(await (await answered).json()).toMatchObject({ files: [{ conversion_status: 'converting' }] });
    await eventually(() => chip('good.pdf').getAttribute('data-attachment-state')).toBe('done');
    await eventually(() => chip('good.pdf').locator('[data-conversion]').count()).toBe(0);
    await input.setInputFiles({
      name: 'bad.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('no document'),
    });
    const failed = chip('bad.pdf').locator('[data-conversion="failed"]');
    await failed.waitFor();
    const sentence = (await failed.textContent()) ?? '';
    expect(sentence).toMatch(/\.$/);
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Files', exact: true });
    await panel.getByRole('tab', { name: /Uploads 2/ }).click();
    await panel.getByText(sentence).waitFor();
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/attach-conversion.png` });
    expect(await axeViolations(page)).toEqual([]);
    expect(app.complaints).toEqual([]);
  });

  it('[web.upload.conversion] [web.axe] looks right in both themes, and on a phone', async () => {
    const { page } = await chat.open('/', { viewport: { width: 390, height: 780 } });
    // What the service says while it converts, for as long as it is looked at.
    await page.route('**/uploads/list', async (route) => {
      const answer = await route.fetch();
      const body = JSON.stringify(await answer.json()).replaceAll(
        /"conversion_status":"\w+"/g,
        '"conversion_status":"converting"',
      );
      await route.fulfill({ response: answer, body });
    });
    await page.locator('input[type=file][aria-label="Files to add"]').setInputFiles({
      name: 'a rather long report about many things.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from(pdfOf([[{ kind: 'paragraph', text: 'A page with some words.' }]])),
    });
    await page.locator('[data-conversion="converting"]').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      if (SCREENSHOTS !== undefined)
        await page.screenshot({ path: `${SCREENSHOTS}/attach-converting-${colorScheme}.png` });
      expect(await axeViolations(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Files' });
    await sheet.getByText('Reading its text').waitFor();
    if (SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${SCREENSHOTS}/attach-converting-list.png` });
    expect(await axeViolations(page)).toEqual([]);
    // The page asks again and again, also in the moment in which it is closed.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

/** An event of the page with files, as dragging and pasting make them. */
async function dispatch(page: Page, type: string, names: readonly string[]): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) data.items.add(new File(['1,2'], name, { type: name.endsWith('.png') ? 'image/png' : 'text/csv' }));
    const fields = { bubbles: true, cancelable: true };
    const event = ${JSON.stringify(type)} === 'paste'
      ? new ClipboardEvent('paste', { ...fields, clipboardData: data })
      : new DragEvent(${JSON.stringify(type)}, { ...fields, dataTransfer: data });
    (document.activeElement ?? document.body).dispatchEvent(event);
  }`);
}
