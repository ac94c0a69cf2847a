// A chat with hundreds of turns: opened at its end, read upwards, searched, and gone on with.
import { LiteParse } from '@llamaindex/liteparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, messageBox, PATIENCE, type WebApp } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
const OLD_TURNS = 150;
const RUNS = 9;
const WORDS =
  'The lighthouse stands where the land ends, and its light is seen by all who come home. '.repeat(5);

const PICTURES = '\n\n$$x^2$$\n\n```mermaid\nflowchart LR\n  A --> B\n```';
/** In the place of the browser's dialog: notes what is on the page, and ends. */
const NOTES_WHAT_IS_PRINTED = `print = () => {
  globalThis.printed = ['.katex-display', '[data-diagram="drawn"] img'].map((it) => document.querySelectorAll(it).length);
  dispatchEvent(new Event('afterprint'));
}`;
/** Whatever is added to the end of the page, and however shortly. */
const NOTES_WHETHER_THE_PAGE_IS_LONGER = `addEventListener('DOMContentLoaded', () => {
  globalThis.heights = [];
  const note = () => heights.push(document.documentElement.scrollHeight);
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
})`;

describe('a long chat', PATIENCE, () => {
  const chat = chatForTests();
  let path = '';

  const drawn = ({ page }: WebApp) => page.getByRole('button', { name: 'Copy answer' });
  const turn = ({ page }: WebApp, words: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(words, { exact: true }) });
  const shoot = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/long-${name}.png` });
  };

  async function post(app: WebApp, address: string, data: object): Promise<void> {
    const token = (await app.page.context().cookies()).find(({ name }) => name === 'csrf_token')?.value ?? '';
    const answer = await app.page.request.post(address, { data, headers: { 'X-CSRF-Token': token } });
    expect(await answer.text()).not.toContain('__error__');
    expect(answer.status()).toBe(200);
  }

  beforeAll(async () => {
    const app = await chat.open();
    const thread = '/api/threads/long-chat';
    await post(app, '/api/threads', { thread_id: 'long-chat' });
    const messages = Array.from({ length: OLD_TURNS }, (_, index) => [
      { type: 'human', id: `question-${index}`, content: `Question ${index}` },
      {
        type: 'ai',
        id: `answer-${index}`,
        content: `Answer **${index}**. ${WORDS}${index === 0 ? PICTURES : ''}`,
      },
    ]).flat();
    for (let at = 0; at < messages.length; at += 100)
      await post(app, `${thread}/state`, { values: { messages: messages.slice(at, at + 100) } });
    for (let run = 0; run < RUNS; run++) {
      const input = { messages: [{ role: 'user', content: `count to ${run + 3}` }] };
      await post(app, `${thread}/runs/wait`, { assistant_id: 'lead_agent', input });
    }
    path = '/threads/long-chat';
    await app.close();
  }, PATIENCE.timeout);

  it('[web.long-chat] opens at its end, contains all its text in order, and draws what is scrolled to', async () => {
    const { app } = chat;
    const { page } = app;
    await app.open(path);
    await app.untilAnswer(/11/);
    await eventually(() => drawn(app).count()).toBeGreaterThanOrEqual(6);
    expect(await drawn(app).count()).toBeLessThan(60);
    await shoot(app, 'end');
    const said = await page.locator('[data-role="human"]').allTextContents();
    expect(said).toEqual([
      ...Array.from({ length: OLD_TURNS }, (_, index) => `Question ${index}`),
      ...Array.from({ length: RUNS }, (_, run) => `count to ${run + 3}`),
    ]);
    expect(await axeViolations(page)).toEqual([]);
    // What Ctrl+F does: it finds, and then it scrolls.
    expect(await page.evaluate("window.find('Question 40', false, false, true)")).toBe(true);
    await page.evaluate('getSelection().anchorNode.parentElement.scrollIntoView()');
    expect(await page.evaluate('[document.documentElement.scrollTop, document.body.scrollTop]')).toEqual([
      0, 0,
    ]);
    await turn(app, 'Question 40').getByText('40', { exact: true }).waitFor();
    await shoot(app, 'found');
    await page.evaluate("document.querySelector('section[aria-label=Conversation]').scrollTop = 0");
    await turn(app, 'Question 0').getByRole('button', { name: 'Copy answer' }).waitFor();
    await shoot(app, 'top');
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await app.send('count to 30');
    await app.untilAnswer(/29 30/);
    await app.untilIdle();
    expect(await turn(app, 'count to 30').getByText('29 30').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
    expect(app.complaints).toEqual([]);
  });

  it('[web.long-chat.typing] typing is as fast as in an empty chat', async () => {
    const { app } = chat;
    await app.open('/');
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    const empty = await costOfTyping(app);
    await app.open(path);
    await app.untilAnswer(/\d$/);
    await app.page.locator('[data-role="assistant"] .markdown p').last().waitFor();
    // Drawn when nothing else is to be done: what that takes is none of the typing's.
    await app.page.locator('[data-diagram="drawn"] img').waitFor({ state: 'attached' });
    const long = await costOfTyping(app);
    expect(long.calls).toBeLessThan(empty.calls * 2);
    expect(long.measured).toBe(0);
  });

  it('[web.print] is printed whole, and is unchanged afterwards', async () => {
    const { app } = chat;
    const { page } = app;
    await page.emulateMedia({ colorScheme: 'dark' });
    await app.open(path);
    await app.untilAnswer(/30/);
    // Until the renderer has arrived, an answer is its text as it was written.
    await page.locator('[data-role="assistant"] .markdown p').last().waitFor();
    const printed = await page.pdf({
      format: 'A4',
      ...(SCREENSHOTS === undefined ? {} : { path: `${SCREENSHOTS}/long-print.pdf` }),
    });
    const { text } = await new LiteParse({ ocrEnabled: false, quiet: true }).parse(printed);
    const words = text.replaceAll(/\s+/g, ' ');
    const said = Array.from({ length: OLD_TURNS }, (_, index) => [
      `Question ${index} `,
      `Answer ${index}. The lighthouse`,
    ]).flat();
    expect(said.filter((it) => !words.includes(it))).toEqual([]);
    const controls = ['Send', 'New chat', 'Jump to latest', 'Copy answer', 'Agent Service'];
    expect(controls.filter((it) => words.includes(it))).toEqual([]);
    // What is far away is its words alone again.
    await eventually(() => drawn(app).count()).toBeLessThan(60);
  });

  it('[web.print.pictures] the print shortcut waits for formulas and diagrams that were never visible', async () => {
    const { page } = chat.app;
    // A page that is never idle.
    await chat.app.runFirst('globalThis.requestIdleCallback = () => 0');
    await chat.app.open(path);
    await chat.app.untilAnswer(/30/);
    await page.locator('[data-role="assistant"] .markdown p').last().waitFor();
    expect(await page.locator('.katex-display').count()).toBe(0);
    await page.evaluate(NOTES_WHAT_IS_PRINTED);
    await page.keyboard.press('Control+p');
    await eventually(() => page.evaluate('globalThis.printed')).toEqual([1, 1]);
    await eventually(() => page.locator('.katex-display').count()).toBe(0);
  });

  it("[web.print.menu] formulas and diagrams that were never visible are drawn in advance, because the browser's print menu does not wait", async () => {
    const { page } = chat.app;
    await chat.app.runFirst(NOTES_WHETHER_THE_PAGE_IS_LONGER);
    await chat.app.open(path);
    await chat.app.untilAnswer(/30/);
    await eventually(() => page.locator('.katex-display').count()).toBe(1);
    await eventually(() => page.locator('[data-diagram="drawn"] img').count()).toBe(1);
    expect(await drawn(chat.app).count()).toBeLessThan(60);
    // While a diagram is drawn, nothing can scroll the page itself.
    expect(await page.evaluate('globalThis.heights.some((it) => it > innerHeight)')).toBe(false);
  });

  it('[web.long-chat] leads to the message that the address names', async () => {
    const { app } = chat;
    await app.open(`${path}#answer-20`);
    const answer = app.page.locator('[data-message="answer-20"]');
    await answer.getByText('20', { exact: true }).waitFor();
    await eventually(async () => {
      const { y = -1, height = 0 } = (await answer.boundingBox()) ?? {};
      return y >= 0 && y + height <= 800;
    }).toBe(true);
    await shoot(app, 'named');
  });

  it('[web.long-chat] [web.usage.answer] shows the usage of older replies, page by page', async () => {
    const { app } = chat;
    const { page } = app;
    // Pages as small as if the chat were far longer.
    const read: string[] = [];
    await page.route(/\/runs\?limit=100|\/messages\/page\?limit=100/, (route) => {
      const url = route.request().url();
      read.push(url);
      return route.continue({ url: url.replace('limit=100', 'limit=3') });
    });
    await app.open(path);
    for (let run = RUNS - 1; run >= 0; run--) {
      const place = turn(app, `count to ${run + 3}`);
      await place.scrollIntoViewIfNeeded();
      await place.getByText(/ tokens/).waitFor();
      await place.getByRole('button', { name: 'Good answer' }).waitFor();
    }
    expect(read.filter((url) => url.includes('before_seq')).length).toBeGreaterThan(2);
  });

  it('[web.long-chat] [web.edit] rewords an old message', async () => {
    const { app } = chat;
    await app.open(path);
    const old = turn(app, 'count to 3');
    await old.scrollIntoViewIfNeeded();
    // By keyboard: what is scrolled to is drawn meanwhile, and so is what stands above it.
    await old.getByRole('button', { name: 'Edit message' }).press('Enter');
    await app.page.getByRole('textbox', { name: 'Your message' }).fill('count to 2');
    await app.page.keyboard.press('Enter');
    await turn(app, 'count to 2').getByText('1 2', { exact: true }).waitFor();
    await app.untilIdle();
    expect(await app.page.locator('[data-role="human"]').count()).toBe(OLD_TURNS + 1);
    await turn(app, 'count to 2').getByText('2 / 2').waitFor();
  });
});

/** How many functions the page calls while a word is typed, and how often it asks for the height of the box. */
async function costOfTyping({
  page,
}: WebApp): Promise<{ readonly calls: number; readonly measured: unknown }> {
  await messageBox(page).fill('x');
  await page.evaluate(MEASURED);
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await messageBox(page).pressSequentially('lighthouse');
  const { result } = await session.send('Profiler.takePreciseCoverage');
  await session.detach();
  const counts = result.flatMap(({ functions }) => functions.map(({ ranges: [range] }) => range?.count ?? 0));
  const measured = await page.evaluate('globalThis.measured');
  await messageBox(page).fill('');
  return { calls: counts.reduce((sum, count) => sum + count, 0), measured };
}

/** Counts readings of a height that lay out the whole page. */
const MEASURED = `
  globalThis.measured = 0;
  const { get } = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollHeight');
  Object.defineProperty(HTMLTextAreaElement.prototype, 'scrollHeight', {
    configurable: true,
    get() {
      globalThis.measured += 1;
      return get.call(this);
    },
  });
`;
