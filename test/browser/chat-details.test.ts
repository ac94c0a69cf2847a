// What a chat offers beside text: questions, thoughts, tools, models, errors, and the care for a list of chats.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startChatInBrowser } from '../support/chat-in-browser.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import {
  eventually,
  messageBox,
  openWebApp,
  PATIENCE,
  type StorageState,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

/** A model that answers, one that nobody can reach, and one that reads little. */
const CONFIG = `
models:
  - { name: demo, provider: demo, model: demo, display_name: Demo }
  - { name: broken, provider: openai-compatible, model: none, base_url: 'http://127.0.0.1:59321', api_key: none }
  - { name: small, provider: demo, model: demo, display_name: Small, context_window: 300 }
`;

const EVIL = `
<script>document.title = 'owned'</script>

<img src="x" onerror="document.title = 'owned'">

<iframe src="https://example.com"></iframe>

![spy](https://example.com/pixel.png)

[click](javascript:document.title='owned')

<a href="javascript:document.title='owned'" style="position:fixed;inset:0">cover</a>

harmless end`;

describe('a chat', PATIENCE, () => {
  let browser: Browser;
  let service: ServiceProcess;
  let state: StorageState;
  let app: WebApp;
  let remove: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    ({ browser, service, state, remove } = await startChatInBrowser(CONFIG));
  }, PATIENCE.timeout);
  beforeEach(async () => {
    app = await openWebApp(browser, service, { storageState: state });
    await app.open();
    return () => app.close();
  });
  afterAll(() => remove?.());

  it('[web.question] shows a question with its options, and a click answers it', async () => {
    await app.send('ask me to choose red or blue');
    const card = app.page.getByRole('group', { name: 'Question from the agent' });
    await card.getByRole('button', { name: 'blue' }).click();
    await eventually(() => app.page.locator('[data-role="human"]').last().textContent()).toMatch(/^Youblue$/);
    await app.untilIdle();
    await eventually(() => card.getByRole('button', { name: 'blue' }).isDisabled()).toBe(true);
  });

  it('[web.reasoning] folds what the model thought', async () => {
    await app.send('think about rain');
    await app.untilIdle();
    const thoughts = app.page.getByRole('button', { name: 'Thoughts' });
    expect(await thoughts.getAttribute('aria-expanded')).toBe('false');
    await thoughts.click();
    await app.page.getByText(/this is all the thinking there is/).waitFor();
  });

  it('[web.thinking] sends whether to think', async () => {
    await app.page.getByRole('button', { name: 'Think', exact: true }).click();
    const request = app.page.waitForRequest(/runs\/stream$/);
    await app.send('think about rain');
    expect((await request).postDataJSON()).toMatchObject({
      config: { configurable: { model_name: 'demo', thinking_enabled: false } },
    });
    await app.untilIdle();
    expect(await app.page.getByRole('button', { name: 'Thoughts' }).count()).toBe(0);
  });

  it('[web.markdown] renders code with colours and a copy button, and tables', async () => {
    await app.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await app.send('show me markdown');
    await app.untilIdle();
    await app.page.locator('.markdown table').waitFor();
    await app.page.locator('figure .token[style*="--token-light"]').first().waitFor();
    await app.page.getByRole('button', { name: 'Copy the code' }).click();
    await app.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await app.page.evaluate('navigator.clipboard.readText()')).toMatch(/^export function greet/);
    expect(app.complaints).toEqual([]);
  });

  it('[web.markdown.safe] runs no script and loads no image from an answer', async () => {
    await app.send('count to 2');
    await app.untilAnswer(/1 2/);
    await putAnswer(app, EVIL);
    const asked: string[] = [];
    app.page.on('request', (request) => asked.push(request.url()));
    await app.page.reload();
    await app.untilAnswer(/harmless end/);
    await app.page.locator('.markdown', { hasText: 'harmless end' }).waitFor();
    await app.page.getByRole('link', { name: 'Image: spy' }).waitFor();
    expect(await app.page.title()).not.toBe('owned');
    expect(asked.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(
      await app.page.locator('.markdown [href^="javascript:"], .markdown script, .markdown iframe').count(),
    ).toBe(0);
    expect(app.complaints).toEqual([]);
  });

  it('[web.summary] shows from where on the agent reads what was said, and the summary of the rest', async () => {
    await chooseModel(app, 'Small');
    await app.send('count to 120');
    await app.untilAnswer(/118 119 120/);
    await app.send('count to 3');
    await app.untilAnswer(/1 2 3/);
    const line = app.page.getByRole('button', { name: 'The agent reads a summary of what is above' });
    await line.waitFor();
    await app.untilIdle();
    await app.page.reload();
    await line.waitFor();
    const order = await app.page.locator('ol > li').allTextContents();
    expect(order[0]).toContain('118 119 120');
    expect(order[1]).toMatch(/^The agent reads a summary/);
    expect(order[2]).toContain('count to 3');
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    await line.press('Enter');
    expect(await line.getAttribute('aria-expanded')).toBe('true');
  });

  it('[web.error] shows the sentence of a failed run, and retries with another model', async () => {
    await chooseModel(app, 'broken');
    await app.send('count to 3');
    const notice = app.page.getByRole('alert');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/reach|connect|answer/i);
    await app.page.reload();
    await notice.waitFor();
    await chooseModel(app, 'Demo');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await app.untilAnswer(/1 2 3/);
    expect(await app.page.locator('[data-role="human"]').count()).toBe(1);
    await eventually(() => notice.count()).toBe(0);
  });

  it('[web.threads] finds, renames and deletes chats', async () => {
    await app.send('count to 4');
    const list = threadList(app.page);
    await list.getByRole('link', { name: /^count to 4/ }).waitFor();
    await app.page.getByRole('button', { name: 'More for count to 4' }).click();
    await app.page.getByRole('menuitem', { name: 'Rename' }).click();
    await app.page.getByRole('textbox', { name: 'Title', exact: true }).fill('Numbers up to four');
    await app.page.getByRole('button', { name: 'Rename', exact: true }).click();
    await list.getByRole('link', { name: /Numbers up to four/ }).waitFor();
    await app.page.getByRole('heading', { name: 'Numbers up to four' }).waitFor();

    await app.page.getByRole('searchbox').fill('FOUR numbers');
    await eventually(() => list.getByRole('link').count()).toBe(1);
    await app.page.getByRole('searchbox').fill('nothing like this');
    await app.page.getByText('No chat has these words in its title.').waitFor();
    await app.page.getByRole('button', { name: 'Clear the search' }).click();

    await app.page.getByRole('button', { name: 'More for Numbers up to four' }).click();
    await app.page.getByRole('menuitem', { name: 'Delete' }).click();
    await app.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await eventually(() => list.getByRole('link', { name: /Numbers up to four/ }).count()).toBe(0);
  });

  it('[web.composer] Enter sends, Shift+Enter starts a line, and the box grows', async () => {
    const box = messageBox(app.page);
    const before = (await box.boundingBox())?.height ?? 0;
    await box.fill('count to 2');
    for (let line = 0; line < 4; line += 1) await box.press('Shift+Enter');
    expect((await box.boundingBox())?.height ?? 0).toBeGreaterThan(before * 2);
    expect(await app.page.locator('[data-role="human"]').count()).toBe(0);
    await box.press('Enter');
    await app.untilAnswer(/1 2/);
    expect(await box.inputValue()).toBe('');
  });

  it('[web.draft] keeps what was typed over a reload', async () => {
    await messageBox(app.page).fill('half a thought');
    await app.page.reload();
    await eventually(() => messageBox(app.page).inputValue()).toBe('half a thought');
  });

  it('[web.scroll] follows the answer until the reader scrolls up, and offers the way back', async () => {
    await app.page.setViewportSize({ width: 900, height: 420 });
    await app.send('count to 1500');
    const region = app.page.getByRole('region', { name: 'Conversation' });
    const distance = () =>
      region.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await app.untilAnswer(/\b300\b/);
    expect(await distance()).toBeLessThan(80);
    await region.hover();
    await app.page.mouse.wheel(0, -400);
    await app.untilAnswer(/\b450\b/);
    expect(await distance()).toBeGreaterThan(80);
    await app.page.getByRole('button', { name: 'Jump to latest' }).click();
    await eventually(distance).toBeLessThan(80);
    await app.page.getByRole('button', { name: 'Stop' }).click();
    await app.untilIdle();
  });
});

/** Puts an answer of our choice into the open chat, as a program with the person's session could. */
async function putAnswer({ page }: WebApp, content: string): Promise<void> {
  const cookies = await page.context().cookies();
  const token = cookies.find((cookie) => cookie.name === 'csrf_token')?.value ?? '';
  const threadId = new URL(page.url()).pathname.split('/').at(-1);
  const answer = await page.request.post(`/api/threads/${threadId}/state`, {
    headers: { 'X-CSRF-Token': token },
    data: { values: { messages: [{ type: 'ai', content }] } },
  });
  expect(answer.status()).toBe(200);
}

async function chooseModel(app: WebApp, name: string): Promise<void> {
  await app.page.getByRole('button', { name: /^Model:/ }).click();
  await app.page.getByRole('menuitemradio', { name }).click();
}
