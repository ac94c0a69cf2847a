// The app on a phone, in the dark, and without a mouse.
import { beforeAll, describe, expect, it } from 'vitest';
import { browserTests, writeSampleChat } from '../support/chat-in-browser.ts';
import { EMAIL, eventually, PASSWORD, PATIENCE, threadList, type WebApp } from '../support/web-app.ts';

const PHONE = { width: 360, height: 740 };
const SIGNED_OUT = { storageState: { cookies: [], origins: [] } };

describe('the look of the app', PATIENCE, () => {
  const chat = browserTests();

  beforeAll(() => writeSampleChat(chat), PATIENCE.timeout);

  it('[web.phone] fits a width of 360 pixels, with the chats in a drawer', async () => {
    const app = await chat.open('/', { viewport: PHONE, hasTouch: true, isMobile: true });
    expect(await threadList(app.page).count()).toBe(0);
    await app.page.getByRole('button', { name: 'Open chats' }).tap();
    await app.page
      .getByRole('dialog')
      .getByRole('link', { name: /write NOTES\.md/ })
      .tap();
    await app.page.locator('.markdown table').waitFor();
    await eventually(() => app.page.getByRole('dialog').count()).toBe(0);
    expect(await app.page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    const region = app.page.getByRole('region', { name: 'Conversation' });
    expect(await region.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await app.send('count to 3');
    await app.untilAnswer(/1 2 3/);
  });

  it('[web.dark] follows the system, and stores a choice', async () => {
    const app = await chat.open('/', { colorScheme: 'dark' });
    const isDark = async () => /\bdark\b/.test((await app.page.locator('html').getAttribute('class')) ?? '');
    await eventually(isDark).toBe(true);
    await app.page.getByRole('button', { name: /^Account/ }).click();
    await app.page.getByRole('menuitemradio', { name: 'Light' }).click();
    await eventually(isDark).toBe(false);
    await app.page.reload();
    expect(await isDark()).toBe(false);
  });

  it('[web.keyboard] needs no mouse, from sign-in to deleting a chat', async () => {
    const app = await chat.open('/', SIGNED_OUT);
    const { keyboard } = app.page;
    await app.page.getByLabel('E-mail').waitFor();
    await keyboard.type(EMAIL);
    await keyboard.press('Tab');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await eventually(() => focused(app)).toBe('Message');
    await keyboard.type('count to 5');
    await keyboard.press('Enter');
    await app.untilAnswer(/1 2 3 4 5/);
    await threadList(app.page)
      .getByRole('link', { name: /^count to 5/ })
      .waitFor();
    await tabTo(app, /^More for count to 5/);
    expect(await app.page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await keyboard.press('Enter');
    await eventually(() => focused(app)).toBe('Rename');
    await keyboard.press('ArrowDown');
    await eventually(() => focused(app)).toBe('Copy chat');
    for (const name of ['Export chat', 'Delete']) {
      await keyboard.press('ArrowDown');
      await eventually(() => focused(app)).toBe(name);
    }
    await keyboard.press('Enter');
    // The item of the menu that had the focus is called the same as the button of the dialog.
    await eventually(() => app.page.getByRole('dialog').locator(':focus').count()).toBe(1);
    await tabTo(app, /^Delete$/);
    await keyboard.press('Enter');
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await expect
      .poll(() =>
        threadList(app.page)
          .getByRole('link', { name: /^count to 5/ })
          .count(),
      )
      .toBe(0);
  });

  it('[web.motion] does not animate for people who prefer reduced motion', async () => {
    const app = await chat.open('/', { reducedMotion: 'reduce' });
    await app.send('count to 60');
    await app.untilAnswer(/\b10\b/);
    const longest =
      'Math.max(...document.getAnimations().map((it) => it.effect.getComputedTiming().endTime), 0)';
    expect(await app.page.evaluate(longest)).toBeLessThan(10);
    await app.untilIdle();
  });
});

/** The accessible name of what has the focus, as far as the page says it in text or label. */
async function focused(app: WebApp): Promise<string> {
  const name = await app.page.evaluate(
    'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""',
  );
  return String(name);
}

async function tabTo(app: WebApp, name: RegExp): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    if (name.test(await focused(app))) return;
    await app.page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key never reached ${name}.`);
}
