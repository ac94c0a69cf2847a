// Files as what they are: pictures, documents, members of packages, and what has no preview.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { pdfOf } from '../support/documents/pdf.ts';
import { xlsxOf } from '../support/documents/xlsx.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';
import { zipOf } from '../support/zip.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><rect width="320" height="200" rx="16" fill="#17776b"/></svg>';

describe('viewers of files', PATIENCE, () => {
  const chat = chatForTests('sandbox: { kind: virtual }\n');
  const panel = ({ page }: WebApp) => page.getByRole('region', { name: 'Files', exact: true });
  const look = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/viewer-${name}.png` });
    expect(await axeViolations(page)).toEqual([]);
  };
  const upload = async (app: WebApp, name: string, content: string | Buffer) => {
    await app.page
      .locator('input[type=file][aria-label="Files to add"]')
      .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
    await eventually(() =>
      app.page.locator(`[data-attachment="${name}"]`).getAttribute('data-attachment-state'),
    ).toBe('done');
  };
  const openFile = async (app: WebApp, name: string) => {
    const back = panel(app).getByRole('button', { name: 'All files' });
    if ((await back.count()) > 0) await back.click();
    await panel(app)
      .getByRole('button', { name: new RegExp(`^${name.replaceAll('.', '\\.')}`) })
      .click();
    await panel(app).getByRole('heading', { name, exact: true }).waitFor();
  };

  it('[web.files.looked] [web.axe] shows pictures that the agent viewed and presented, and marks deleted ones', async () => {
    const { app } = chat;
    const { page } = app;
    await upload(app, 'drawing.svg', SVG);
    await eventually(() => page.url()).toMatch(/\/threads\//);
    const [there, gone] = ['drawing.svg', 'gone.png'].map((name) => `/mnt/user-data/uploads/${name}`);
    const call = (id: string, name: string, args: object) => ({ id, name, args });
    const answered = (id: string) => ({
      type: 'tool',
      tool_call_id: id,
      name: 'view_image',
      content: 'Shown.',
    });
    const calls = [
      call('look-1', 'view_image', { image_path: there }),
      call('look-2', 'view_image', { image_path: gone }),
      call('present', 'present_files', { filepaths: [there, gone] }),
    ];
    const messages = [
      { type: 'human', content: 'Look at these' },
      { type: 'ai', content: '', tool_calls: calls },
      ...calls.map(({ id, name }) => ({ ...answered(id), name })),
      { type: 'ai', content: 'These are the pictures.' },
    ];
    const token = (await page.context().cookies()).find(({ name }) => name === 'csrf_token')?.value ?? '';
    const changed = await page.request.post(`/api${new URL(page.url()).pathname}/state`, {
      data: { values: { messages } },
      headers: { 'X-CSRF-Token': token },
    });
    expect(changed.status()).toBe(200);
    await page.reload();
    const cards = page.locator('[data-tool="view_image"]');
    await eventually(() =>
      cards
        .first()
        .getByRole('img')
        .evaluate((it) => Reflect.get(it, 'naturalWidth')),
    ).toBe(320);
    await cards.nth(1).getByText('This image no longer exists').waitFor();
    const presented = page.getByRole('list', { name: 'Files from the agent' });
    await eventually(() => presented.locator('img').count()).toBe(1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await look(app, `looked-${colorScheme}`);
    }
    await page.setViewportSize({ width: 390, height: 780 });
    await look(app, 'looked-phone');
    await cards.first().getByRole('button', { name: 'drawing.svg', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Files' });
    await sheet.getByRole('heading', { name: 'drawing.svg' }).waitFor();
    expect(app.complaints).toEqual([]);
  });

  it('[web.files.viewers] offers a PDF as a download where the browser shows none', async () => {
    const { app } = chat;
    await app.runFirst("Object.defineProperty(navigator, 'pdfViewerEnabled', { value: false })");
    await app.open();
    await upload(app, 'paper.pdf', pdfOf([[{ kind: 'heading', text: 'On tea', level: 1 }]]));
    await app.page.getByRole('button', { name: 'Files', exact: true }).click();
    await panel(app)
      .getByRole('tab', { name: /Uploads 1/ })
      .click();
    await openFile(app, 'paper.pdf');
    await panel(app).getByText('This browser cannot show PDF files in a page.').waitFor();
    await panel(app).getByRole('link', { name: 'Download', exact: true }).waitFor();
    expect(await panel(app).locator('iframe').count()).toBe(0);
    await look(app, 'pdf-none');
  });

  it('[web.files.viewers] shows a picture, a PDF, a workbook as text, and a skill', async () => {
    const { app } = chat;
    // Chromium without windows has no viewer, and says so; what the page asks for is the same.
    await app.runFirst("Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })");
    await app.open();
    await upload(app, 'drawing.svg', SVG);
    await upload(app, 'paper.pdf', pdfOf([[{ kind: 'heading', text: 'On tea', level: 1 }]]));
    await upload(
      app,
      'numbers.xlsx',
      await xlsxOf([
        {
          name: 'Sales',
          rows: [
            ['month', 'sold'],
            ['May', 12],
            ['June', 30],
          ],
        },
      ]),
    );
    await upload(app, 'tool.skill', await zipOf([{ name: 'tool/SKILL.md', text: '# A skill' }]));
    await upload(app, 'data.bin', Buffer.from([0, 1, 2, 3]));
    await app.page.getByRole('button', { name: 'Files', exact: true }).click();
    await panel(app)
      .getByRole('tab', { name: /Uploads 5/ })
      .waitFor();
    await look(app, 'list');
    await openFile(app, 'drawing.svg');
    const image = panel(app).getByRole('img', { name: 'drawing.svg' });
    await eventually(() => image.evaluate((it) => ('naturalWidth' in it ? it.naturalWidth : 0))).toBe(320);
    await look(app, 'image');
    await openFile(app, 'paper.pdf');
    const frame = panel(app).locator('iframe[title="paper.pdf"]');
    expect(await frame.getAttribute('src')).toMatch(/\/artifacts\/mnt\/user-data\/uploads\/paper\.pdf#/);
    // In a sandbox nothing would be shown; what it may do is in the policy that comes with it.
    expect(await frame.getAttribute('sandbox')).toBeNull();
    const shown = await app.page.request.get((await frame.getAttribute('src')) ?? '');
    expect(shown.headers()).toMatchObject({
      'content-type': 'application/pdf',
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'self'$/),
    });
    await panel(app).getByRole('link', { name: 'Open in a new tab' }).waitFor();
    await look(app, 'pdf');
    await panel(app).getByRole('button', { name: 'View text' }).click();
    await panel(app).getByRole('heading', { name: 'On tea' }).waitFor();
    await openFile(app, 'numbers.xlsx');
    await panel(app).getByText('as the agent reads it').waitFor();
    await panel(app).locator('.markdown table').first().waitFor();
    await look(app, 'workbook');
    await openFile(app, 'tool.skill');
    await panel(app).getByRole('button', { name: 'View skill' }).click();
    await panel(app).getByRole('heading', { name: 'A skill' }).waitFor();
    expect(await panel(app).getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
    await openFile(app, 'data.bin');
    await panel(app).getByText('No preview for this type of file.').waitFor();
    expect(app.complaints).toEqual([]);
  });
});
