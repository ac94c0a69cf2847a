// The files of a chat as the person sees them: in cards, beside the conversation, being edited.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;
const CONFIG = 'sandbox: { kind: virtual }\n';

describe('the files of a chat', PATIENCE, () => {
  const chat = chatForTests(CONFIG);
  const panel = ({ page }: WebApp) => page.getByRole('region', { name: 'Files', exact: true });
  const look = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/files-${name}.png` });
    expect(await axeViolations(page)).toEqual([]);
  };
  const say = async (app: WebApp, text: string, pattern: RegExp) => {
    await app.send(text);
    await app.untilAnswer(pattern);
    await app.untilIdle();
  };
  const put = async ({ page }: WebApp, path: string, content: string) => {
    const threadId = new URL(page.url()).pathname.split('/').at(-1);
    const cookies = await page.context().cookies();
    const token = cookies.find(({ name }) => name === 'csrf_token')?.value ?? '';
    return page.request.put(`/api/threads/${threadId}/artifacts${path}`, {
      headers: { 'X-CSRF-Token': token },
      data: { content },
    });
  };

  it('[web.command] shows a command with its output and outcome, also after a reload', async () => {
    const { app } = chat;
    await say(app, 'run for n in one two; do echo "line $n"; done; echo oops >&2; exit 3', /exit code 3/);
    const card = app.page.locator('[data-tool="bash"]');
    const seen = async () => {
      await eventually(() => card.getByTestId('command-output').textContent()).toMatch(
        /line one\s+line two\s+oops/,
      );
      await card.getByText('Exit code 3').waitFor();
    };
    await seen();
    await app.page.reload();
    await seen();
    await look(app, 'command');
    expect(app.complaints).toEqual([]);
  });

  it("[web.diff] [web.work] shows a tool's changes to a file line by line, in collapsed work", async () => {
    const { app } = chat;
    await say(app, 'write NOTES.md: buy milk\nand bread', /I wrote/);
    await say(app, 'replace milk with oat milk in NOTES.md', /is now/);
    const card = app.page.locator('[data-tool="str_replace"]');
    const work = app.page.locator('summary', { hasText: /^2 steps, \d+ s$/ });
    await work.focus();
    expect(await card.isVisible()).toBe(false);
    await app.page.keyboard.press('Enter');
    await card.getByRole('button', { name: /^Edit file/ }).press('Enter');
    const diff = card.getByTestId('diff');
    await eventually(() => diff.locator('[data-diff="removed"]').allTextContents()).toEqual(['−milk']);
    await eventually(() => diff.locator('[data-diff="added"]').allTextContents()).toEqual(['+oat milk']);
    await look(app, 'diff');
  });

  it('[web.diff] shows the text that a rewrite replaced, if it is recorded', async () => {
    const { app } = chat;
    const card = () => app.page.locator('[data-tool="write_file"]').last();
    await say(app, 'write LIST.md: milk\nbread', /I wrote/);
    await card().getByText('New file').waitFor();
    expect(await card().locator('[data-diff="added"]').allTextContents()).toEqual(['+milk', '+bread']);
    await say(app, 'read LIST.md', /milk/);
    await say(app, 'write LIST.md: milk\nhoney', /I wrote/);
    await card().getByText('Changes in this answer').waitFor();
    expect(await card().locator('[data-diff="removed"]').allTextContents()).toEqual(['−bread']);
    expect(await card().locator('[data-diff="added"]').allTextContents()).toEqual(['+honey']);
    expect(await card().getByRole('button').first().textContent()).toMatch(/\+1−1/);
    await look(app, 'rewritten');
    await app.page.route('**/workspace-changes', (route) => route.abort());
    await app.page.reload();
    await card().getByText('New content').waitFor();
    expect(await card().locator('[data-diff="text"]').allTextContents()).toEqual(['milk', 'honey']);
    expect(await card().getByRole('button').first().textContent()).toMatch(/2 lines/);
    await look(app, 'new-text');
  });

  it('[web.folded] collapses tool calls of earlier turns, and expands them by keyboard', async () => {
    const { app } = chat;
    const { page } = app;
    await say(app, 'write FIRST.md: one\ntwo', /I wrote/);
    await say(app, 'write SECOND.md: three', /I wrote/);
    await page.reload();
    const line = (name: string) =>
      page.locator('[data-tool="write_file"]').getByRole('button', { name: new RegExp(name) });
    await eventually(() => line('SECOND').getAttribute('aria-expanded')).toBe('true');
    expect(await line('FIRST').getAttribute('aria-expanded')).toBe('false');
    await eventually(() => line('FIRST').textContent()).toMatch(/Write file.*done.*FIRST\.md.*\+2/);
    await eventually(() => page.getByTestId('diff').count()).toBe(1);
    await look(app, 'folded');
    await line('FIRST').press('Enter');
    await eventually(() => page.getByTestId('diff').first().textContent()).toBe('+one+two');
    await line('FIRST').press('Enter');
    await eventually(() => page.getByTestId('diff').count()).toBe(1);
    expect(app.complaints).toEqual([]);
  });

  it('[web.files] [web.files.beside] [web.files.presented] [web.files.opened] presents files beside the chat, and as cards that open them', async () => {
    const { app } = chat;
    const { page } = app;
    await say(app, 'make a report about tea and honey', /The report is done/);
    const cards = page.getByRole('list', { name: 'Files from the agent' });
    await panel(app).getByRole('heading', { name: 'A report about tea and honey' }).waitFor();
    await look(app, 'presented');
    const model = page.getByRole('button', { name: 'Model: Demo (offline)' }).locator('span');
    expect(await model.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await panel(app).getByRole('button', { name: 'Close files' }).click();
    await cards.getByRole('button', { name: /report\.md/ }).press('Enter');
    await panel(app).getByRole('heading', { name: 'A report about tea and honey' }).waitFor();
    await look(app, 'markdown');
    await panel(app).getByRole('button', { name: 'Show the source' }).click();
    await panel(app).getByText('# A report about tea and honey').waitFor();
    await panel(app).getByRole('button', { name: 'All files' }).click();
    await panel(app)
      .getByRole('tab', { name: /Results 3/ })
      .waitFor();
    await look(app, 'list');
    await panel(app)
      .getByRole('button', { name: /^letters\.csv/ })
      .click();
    await panel(app).getByRole('columnheader', { name: 'times' }).waitFor();
    await look(app, 'table');
    await page.reload();
    await cards.getByRole('button', { name: /letters\.html/ }).press('Enter');
    const frame = page.frameLocator('iframe[title="letters.html"]');
    await frame.getByRole('heading', { name: 'Letters in “tea and honey”' }).waitFor();
    await look(app, 'html');
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
    expect(app.complaints).toEqual([]);
  });

  it('[web.files.sandbox] runs no script of a page that the agent made', async () => {
    const { app } = chat;
    const evil =
      '<h1>Hi</h1><script>parent.document.title = "owned"</script><img src="x" onerror="top.location = \'/owned\'">';
    await say(app, `write evil.html: ${evil}`, /I wrote/);
    await app.page
      .locator('[data-tool="write_file"]')
      .getByRole('button', { name: 'Open file' })
      .press('Enter');
    await app.page.frameLocator('iframe').getByRole('heading', { name: 'Hi' }).waitFor();
    await panel(app).getByText('Scripts are disabled in this preview').waitFor();
    expect(await app.page.title()).not.toBe('owned');
    expect(app.page.url()).not.toContain('owned');
  });

  it('[web.files.edit] edits a text, and lets the person choose if it has changed meanwhile', async () => {
    const { app } = chat;
    const path = '/mnt/user-data/workspace/PLAN.md';
    const download = () =>
      app.page.request
        .get(`/api/threads/${new URL(app.page.url()).pathname.split('/').at(-1)}/artifacts${path}`)
        .then((it) => it.text());
    await say(app, 'write PLAN.md: first', /I wrote/);
    await app.page.getByRole('button', { name: 'Open file' }).press('Enter');
    await panel(app).getByRole('button', { name: 'Edit', exact: true }).click();
    const box = panel(app).getByRole('textbox', { name: 'Text of PLAN.md' });
    await box.fill('second');
    await look(app, 'edit');
    await panel(app).getByRole('button', { name: 'Save' }).click();
    await eventually(() => box.count()).toBe(0);
    await panel(app).getByText('second').waitFor();
    expect(await download()).toBe('second');
    await panel(app).getByRole('button', { name: 'Edit', exact: true }).click();
    await box.fill('mine');
    await say(app, 'append theirs to PLAN.md', /I added/);
    await box.press('Control+s');
    await panel(app).getByText('The file was changed while you edited it.').waitFor();
    await look(app, 'conflict');
    expect(await download()).toContain('theirs');
    await panel(app).getByRole('button', { name: 'Save my version' }).click();
    await eventually(() => box.count()).toBe(0);
    await panel(app).getByText('mine').waitFor();
    expect(await download()).toBe('mine');
  });

  it("[web.files] follows the agent's changes, deletes uploads, and needs no mouse", async () => {
    const { app } = chat;
    const { page } = app;
    await page
      .locator('input[type=file][aria-label="Files to add"]')
      .setInputFiles({ name: 'data.json', mimeType: 'application/json', buffer: Buffer.from('{"a": 1}') });
    await eventually(() =>
      page.locator('[data-attachment="data.json"]').getAttribute('data-attachment-state'),
    ).toBe('done');
    await page.getByRole('button', { name: 'Files', exact: true }).focus();
    await page.keyboard.press('Enter');
    await panel(app)
      .getByRole('tab', { name: /Uploads 1/ })
      .waitFor();
    await say(app, 'write A.md: hello', /I wrote/);
    await panel(app)
      .getByRole('tab', { name: /Workspace 1/ })
      .waitFor();
    await panel(app)
      .getByRole('button', { name: /^data\.json/ })
      .focus();
    await page.keyboard.press('Enter');
    await panel(app).locator('.token').first().waitFor();
    await look(app, 'code');
    await page.keyboard.press('Escape');
    await eventually(() => panel(app).count()).toBe(0);
    await eventually(() => page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Files');
    await page.keyboard.press('Enter');
    await panel(app)
      .getByRole('tab', { name: /Uploads/ })
      .click();
    await panel(app).getByRole('button', { name: 'Remove data.json' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await panel(app).getByText('Files you add to a message appear here.').waitFor();
    expect((await put(app, '/mnt/user-data/outputs/new.md', '# New')).status()).toBe(200);
    expect(app.complaints).toEqual([]);
  });

  it('[web.files] [web.axe] fill a phone', async () => {
    const phone = await chat.open('/', {
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      isMobile: true,
    });
    const lookInBothThemes = async (name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await phone.page.emulateMedia({ colorScheme });
        await look(phone, `phone-${colorScheme}-${name}`);
      }
    };
    await say(phone, 'make a report about tea and honey', /The report is done/);
    await lookInBothThemes('chat');
    await phone.page.getByRole('button', { name: 'Files', exact: true }).tap();
    const sheet = phone.page.getByRole('dialog', { name: 'Files' });
    await sheet.getByRole('tab', { name: /Results 3/ }).waitFor();
    await lookInBothThemes('list');
    await sheet.getByRole('button', { name: /^report\.md/ }).tap();
    await sheet.getByRole('heading', { name: 'A report about tea and honey' }).waitFor();
    await lookInBothThemes('file');
    await sheet.getByRole('button', { name: 'Close files' }).tap();
    await eventually(() => sheet.count()).toBe(0);
  });
});
