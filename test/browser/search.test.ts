// Searching chats in a real browser: by keyboard, to the message, on a phone, in the dark.
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, messageBox, PATIENCE, type WebApp } from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;

describe('the search', PATIENCE, () => {
  const chat = browserTests();
  beforeAll(async () => {
    const app = await chat.open();
    await app.send('Which lighthouse stands furthest north? <b>Bold</b>');
    await app.untilIdle();
    for (let n = 1; n <= 6; n++) {
      await app.send(`show me markdown ${n}`);
      await app.untilIdle();
    }
    await app.open();
    await app.send('Tell me about zebras');
    await app.untilIdle();
  }, PATIENCE.timeout);

  const box = ({ page }: WebApp) => page.getByRole('combobox', { name: 'Search titles and messages' });
  const options = ({ page }: WebApp) => page.getByRole('option');
  const picture = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/search-${name}.png` });
  };

  it('[web.search] [web.search.keyboard] leads from a slash to the message with the words', async () => {
    const app = await chat.open();
    await messageBox(app.page).fill('a / in a text');
    await app.page.locator('main').press('/');
    await app.page.keyboard.type('markdown 2');
    await eventually(() => options(app).count()).toBeGreaterThan(0);
    await box(app).fill('');
    await app.page.keyboard.press('Control+k');
    await app.page.keyboard.type('lighthouse furth');
    const hit = options(app).filter({ hasText: 'You: Which lighthouse' });
    await hit.first().waitFor();
    await eventually(() => hit.first().locator('mark').allTextContents()).toEqual(['lighthouse', 'furthest']);
    await picture(app, 'light');
    expect(await axeViolations(app.page)).toEqual([]);
    const active = '[role="option"][aria-selected="true"]';
    for (let key = 0; key < 4 && !(await app.page.locator(active).textContent())?.startsWith('You: '); key++)
      await app.page.keyboard.press('ArrowDown');
    await app.page.keyboard.press('Enter');
    const question = app.page.locator('[data-role="human"]', { hasText: 'Which lighthouse' });
    await eventually(() => app.page.url()).toContain('/threads/');
    await question.waitFor();
    await eventually(() => inView(question)).toBe(true);
    await picture(app, 'opened');
    expect(app.complaints).toEqual([]);
  });

  it('[web.search.nothing] says that nothing was found, and Escape brings the chats back', async () => {
    const app = await chat.open('/', { colorScheme: 'dark' });
    await box(app).fill('zebra');
    await options(app).first().waitFor();
    await picture(app, 'dark');
    expect(await axeViolations(app.page)).toEqual([]);
    await box(app).fill('nowhere at all');
    await app.page.getByText('No chats match your search.').waitFor();
    await box(app).press('Escape');
    await app.page.getByRole('link', { name: /zebras/ }).waitFor();
  });

  it('[web.search.phone] works on a phone, where the drawer closes after the choice', async () => {
    const app = await chat.open('/', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await app.page.getByRole('button', { name: /chats/i }).first().tap();
    await box(app).fill('lighthouse');
    await options(app).first().waitFor();
    await picture(app, 'phone');
    const wide = `[document.documentElement, ...document.querySelectorAll('nav')].some(
      (it) => it.scrollWidth > it.clientWidth)`;
    expect(await app.page.evaluate(wide)).toBe(false);
    await options(app).filter({ hasText: 'You: Which lighthouse' }).first().tap();
    const question = app.page.locator('[data-role="human"]', { hasText: 'Which lighthouse' });
    await eventually(() => inView(question)).toBe(true);
    await eventually(() => box(app).count()).toBe(0);
  });
});

async function inView(element: Locator): Promise<boolean> {
  const place = await element.boundingBox();
  const size = element.page().viewportSize();
  return place !== null && size !== null && place.y >= 0 && place.y + place.height <= size.height;
}
