// What a chat offers beside text: questions, thoughts, tools, models, errors, and the care for a list of chats.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { eventually, messageBox, PATIENCE, threadList, type WebApp } from '../support/web-app.ts';

/** A model that answers, one that nobody can reach, and one that reads little. */
const CONFIG = `
models:
  - { name: demo, provider: demo, model: demo, display_name: Demo }
  - { name: broken, provider: openai-compatible, model: none, base_url: 'http://127.0.0.1:2', api_key: none }
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
  const chat = chatForTests(CONFIG);

  it('[web.question] shows a question with its options, and a click answers it', async () => {
    await chat.app.send('ask me to choose red or blue');
    const card = chat.app.page.getByRole('group', { name: 'Question from the agent' });
    await card.getByRole('button', { name: 'blue' }).click();
    await eventually(() => chat.app.page.locator('[data-role="human"]').last().textContent()).toMatch(
      /^blue$/,
    );
    await chat.app.untilIdle();
    await eventually(() => card.getByRole('button', { name: 'blue' }).isDisabled()).toBe(true);
  });

  it("[web.reasoning] collapses the model's reasoning", async () => {
    await chat.app.send('think about rain');
    await chat.app.untilIdle();
    const thoughts = chat.app.page.getByRole('button', { name: 'Thoughts' });
    expect(await thoughts.getAttribute('aria-expanded')).toBe('false');
    await thoughts.click();
    await chat.app.page.getByText(/this is all the thinking there is/).waitFor();
  });

  it('[web.thinking] sends whether thinking is on', async () => {
    await chat.app.page.getByRole('button', { name: 'Think', exact: true }).click();
    const request = chat.app.page.waitForRequest(
      (it) => it.method() === 'POST' && it.url().endsWith('/runs'),
    );
    await chat.app.send('think about rain');
    expect((await request).postDataJSON()).toMatchObject({
      config: { configurable: { model_name: 'demo', thinking_enabled: false } },
    });
    await chat.app.untilIdle();
    expect(await chat.app.page.getByRole('button', { name: 'Thoughts' }).count()).toBe(0);
  });

  it('[web.markdown] renders code with colours and a copy button, and tables', async () => {
    await chat.app.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chat.app.send('show me markdown');
    await chat.app.untilIdle();
    await chat.app.page.locator('.markdown table').waitFor();
    await chat.app.page.locator('figure .token[style*="--token-light"]').first().waitFor();
    await chat.app.page.getByRole('button', { name: 'Copy code' }).click();
    await chat.app.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await chat.app.page.evaluate('navigator.clipboard.readText()')).toMatch(/^export function greet/);
    expect(chat.app.complaints).toEqual([]);
  });

  it('[hostile.S12] [web.markdown.safe] runs no script and loads no image of a reply', async () => {
    await chat.app.send('count to 2');
    await chat.app.untilAnswer(/1 2/);
    // A chat whose run is not over takes no other state.
    await chat.app.untilIdle();
    await putAnswer(chat.app, EVIL);
    const asked: string[] = [];
    chat.app.page.on('request', (request) => asked.push(request.url()));
    await chat.app.page.reload();
    await chat.app.untilAnswer(/harmless end/);
    await chat.app.page.locator('.markdown', { hasText: 'harmless end' }).waitFor();
    await chat.app.page.getByRole('link', { name: 'Image: spy' }).waitFor();
    expect(await chat.app.page.title()).not.toBe('owned');
    expect(asked.filter((url) => !url.startsWith(chat.service.url))).toEqual([]);
    expect(
      await chat.app.page
        .locator('.markdown [href^="javascript:"], .markdown script, .markdown iframe')
        .count(),
    ).toBe(0);
    expect(chat.app.complaints).toEqual([]);
  });

  it('[web.summary] shows which messages the agent reads, and the summary of the others', async () => {
    await chooseModel(chat.app, 'Small');
    await chat.app.send('count to 120');
    await chat.app.untilAnswer(/118 119 120/);
    await chat.app.send('count to 3');
    await chat.app.untilAnswer(/1 2 3/);
    const line = chat.app.page.getByRole('button', { name: 'The agent reads a summary of earlier messages' });
    await line.waitFor();
    await chat.app.untilIdle();
    await chat.app.page.reload();
    await line.waitFor();
    const order = await chat.app.page.locator('ol > li').allTextContents();
    expect(order[0]).toContain('118 119 120');
    expect(order[1]).toMatch(/^The agent reads a summary/);
    expect(order[2]).toContain('count to 3');
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    await line.press('Enter');
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await chat.app.page
      .locator('ol > li')
      .nth(1)
      .locator('.markdown')
      .getByText('Summary of your text', { exact: true })
      .waitFor();
  });

  it('[web.error] shows the sentence of a failed run, and retries with another model', async () => {
    await chooseModel(chat.app, 'broken');
    await chat.app.send('count to 3');
    const notice = chat.app.page.getByRole('alert');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/reach|connect|answer/i);
    await chat.app.page.reload();
    await notice.waitFor();
    await chooseModel(chat.app, 'Demo');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await chat.app.untilAnswer(/1 2 3/);
    expect(await chat.app.page.locator('[data-role="human"]').count()).toBe(1);
    await eventually(() => notice.count()).toBe(0);
  });

  it('[web.threads] finds, renames and deletes chats', async () => {
    await chat.app.send('count to 4');
    const list = threadList(chat.app.page);
    await list.getByRole('link', { name: /^count to 4/ }).waitFor();
    await chat.app.untilIdle();
    await chat.app.page.getByRole('button', { name: 'More for count to 4' }).click();
    await chat.app.page.getByRole('menuitem', { name: 'Rename' }).click();
    await chat.app.page.getByRole('textbox', { name: 'Title', exact: true }).fill('Numbers up to four');
    await chat.app.page.getByRole('button', { name: 'Rename', exact: true }).click();
    await list.getByRole('link', { name: /Numbers up to four/ }).waitFor();
    await chat.app.page.getByRole('heading', { name: 'Numbers up to four' }).waitFor();

    const search = chat.app.page.getByRole('combobox', { name: 'Search titles and messages' });
    await search.fill('FOUR numbers');
    await eventually(() => list.getByRole('option').allTextContents()).toEqual(['Numbers up to four']);
    await search.fill('nothing like this');
    await chat.app.page.getByText('No chats match your search.').waitFor();
    await chat.app.page.getByRole('button', { name: 'Clear the search' }).click();

    await chat.app.page.getByRole('button', { name: 'More for Numbers up to four' }).click();
    await chat.app.page.getByRole('menuitem', { name: 'Delete' }).click();
    await chat.app.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await chat.app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await eventually(() => list.getByRole('link', { name: /Numbers up to four/ }).count()).toBe(0);
  });

  it('[web.threads] leaves a deleted chat, even if the list drops it before the response arrives', async () => {
    const { app } = chat;
    await app.send('count to 5');
    await app.untilAnswer(/4 5/);
    await app.untilIdle();
    await app.page.waitForURL(/\/threads\//);
    // By its address: behind a dialog no link has a role.
    const link = app.page.locator(`nav a[href="${new URL(app.page.url()).pathname}"]`);
    await link.waitFor();
    await app.page.route(/force=true/, async (route) => {
      const response = await route.fetch();
      await link.waitFor({ state: 'detached' });
      await route.fulfill({ response });
    });
    await app.page.getByRole('button', { name: 'More for count to 5' }).click();
    await app.page.getByRole('menuitem', { name: 'Delete' }).click();
    await app.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
  });

  it('[web.threads.order] a renamed chat keeps its place in the list', async () => {
    const { page } = chat.app;
    const list = threadList(page);
    for (const text of ['count to 15', 'count to 16']) {
      await page.getByRole('link', { name: 'New chat', exact: true }).click();
      await page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
      await chat.app.send(text);
      await list.getByRole('link', { name: new RegExp(`^${text}`) }).waitFor();
      await chat.app.untilIdle();
    }
    await page.getByRole('button', { name: 'More for count to 15' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Up to five');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    const titles = async () =>
      (await list.getByRole('link').allTextContents()).flatMap(
        (it) => it.match(/count to 1[56]|Up to five/) ?? [],
      );
    await eventually(titles).toEqual(['count to 16', 'Up to five']);
    await page.reload();
    await eventually(titles).toEqual(['count to 16', 'Up to five']);
  });

  it('[web.composer] Enter sends, Shift+Enter starts a new line, and the box grows', async () => {
    const box = messageBox(chat.app.page);
    const before = (await box.boundingBox())?.height ?? 0;
    await box.fill('count to 2');
    for (let line = 0; line < 4; line += 1) await box.press('Shift+Enter');
    await eventually(async () => (await box.boundingBox())?.height ?? 0).toBeGreaterThan(before * 2);
    expect(await chat.app.page.locator('[data-role="human"]').count()).toBe(0);
    await box.press('Enter');
    await chat.app.untilAnswer(/1 2/);
    await eventually(() => box.inputValue()).toBe('');
  });

  it('[web.draft] keeps the typed text after a reload', async () => {
    await messageBox(chat.app.page).fill('half a thought');
    await chat.app.page.reload();
    await eventually(() => messageBox(chat.app.page).inputValue()).toBe('half a thought');
  });

  it('[web.scroll] follows the reply until the reader scrolls up, and offers a way back', async () => {
    await chat.app.page.setViewportSize({ width: 900, height: 420 });
    await chat.app.send('count to 2000');
    const region = chat.app.page.getByRole('region', { name: 'Conversation' });
    const distance = () =>
      region.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await chat.app.untilAnswer(/\b300\b/);
    await eventually(distance).toBeLessThan(80);
    await region.hover();
    await chat.app.page.mouse.wheel(0, -400);
    await eventually(distance).toBeGreaterThan(80);
    const read = Number(/\d+$/.exec(await chat.app.answer())?.[0]);
    await chat.app.untilAnswer(new RegExp(`\\b${read + 150}\\b`));
    expect(await distance()).toBeGreaterThan(80);
    await chat.app.page.getByRole('button', { name: 'Jump to latest' }).click();
    await eventually(distance).toBeLessThan(80);
    await chat.app.page.getByRole('button', { name: 'Stop' }).click();
    await chat.app.untilIdle();
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
