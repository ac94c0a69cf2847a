// The app on a phone, in the dark, without a mouse, and for assistive technology.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import {
  axeViolations,
  buildWebApp,
  eventually,
  messageBox,
  openWebApp,
  PASSWORD,
  PATIENCE,
  type StorageState,
  setUpAccount,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

const PHONE = { width: 360, height: 740 };

describe('the look of the app', PATIENCE, () => {
  let browser: Browser;
  let service: ServiceProcess;
  let state: StorageState;

  beforeAll(async () => {
    await buildWebApp();
    service = await startServiceProcess();
    browser = await openBrowser();
    const fresh = await openWebApp(browser, service);
    const generated = await service.credentials();
    await fresh.open();
    await fresh.signIn(generated);
    await fresh.page.getByRole('heading', { name: 'Set up your account' }).waitFor();
    setupViolations = await axeViolations(fresh.page);
    await fresh.close();
    state = await setUpAccount(service);
    const app = await openWebApp(browser, service, { storageState: state });
    await app.open();
    await app.send('write NOTES.md: hello');
    await app.untilAnswer(/I wrote/);
    await app.send('show me markdown');
    await app.untilIdle();
    await app.close();
  }, PATIENCE.timeout);
  afterAll(async () => {
    await browser?.close();
    await service?.remove();
  });
  let setupViolations: readonly string[] = ['not looked at'];

  it('[web.phone] fits a width of 360 pixels, with the chats in a drawer', async () => {
    const app = await openWebApp(browser, service, {
      storageState: state,
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    });
    await app.open();
    expect(await threadList(app.page).count()).toBe(0);
    await app.page.getByRole('button', { name: 'Open the chats' }).tap();
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
    await app.close();
  });

  it('[web.dark] follows the system, and remembers a choice', async () => {
    const app = await openWebApp(browser, service, { storageState: state, colorScheme: 'dark' });
    const isDark = async () => /\bdark\b/.test((await app.page.locator('html').getAttribute('class')) ?? '');
    await app.open();
    await eventually(isDark).toBe(true);
    await app.page.getByRole('button', { name: /^Account/ }).click();
    await app.page.getByRole('menuitemradio', { name: 'Light' }).click();
    await eventually(isDark).toBe(false);
    await app.page.reload();
    expect(await isDark()).toBe(false);
    await app.close();
  });

  it('[web.keyboard] needs no mouse, from sign-in to deleting a chat', async () => {
    const app = await openWebApp(browser, service);
    const { keyboard } = app.page;
    await app.open();
    await app.page.getByLabel('E-mail').waitFor();
    await keyboard.type('eva@example.com');
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
    await app.close();
  });

  it('[web.motion] does not move for people who asked for that', async () => {
    const app = await openWebApp(browser, service, { storageState: state, reducedMotion: 'reduce' });
    await app.open();
    await app.send('count to 60');
    await app.untilAnswer(/\b10\b/);
    const longest =
      'Math.max(...document.getAnimations().map((it) => it.effect.getComputedTiming().endTime), 0)';
    expect(await app.page.evaluate(longest)).toBeLessThan(10);
    await app.untilIdle();
    await app.close();
  });

  it('[web.axe] has no violations at the first-time setup', () => {
    expect(setupViolations).toEqual([]);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`[web.axe] has no violations at sign-in and registration, ${colorScheme}`, async () => {
      const app = await openWebApp(browser, service, { colorScheme });
      await app.open();
      await app.signIn({ email: 'eva@example.com', password: 'not this one' });
      await app.page.getByRole('alert').waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.getByRole('link', { name: 'Register' }).click();
      await app.page.getByRole('heading', { name: 'Create your account' }).waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.close();
    });

    it(`[web.axe] has no violations in the chat and its menus, ${colorScheme}`, async () => {
      const app = await openWebApp(browser, service, { storageState: state, colorScheme });
      await app.open();
      await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await threadList(app.page)
        .getByRole('link', { name: /write NOTES\.md/ })
        .click();
      await app.page.locator('.markdown table').waitFor();
      await app.page.locator('[data-tool]').first().getByRole('button').first().click();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.getByRole('button', { name: /^Account/ }).click();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.getByRole('menuitem', { name: 'Change password' }).click();
      await app.page.getByRole('dialog').waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.keyboard.press('Escape');
      await app.page.getByRole('button', { name: /^Model:/ }).click();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.keyboard.press('Escape');
      await app.send('ask me to choose red or blue');
      await app.page.getByRole('group', { name: 'Question from the agent' }).last().waitFor();
      await app.untilIdle();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.close();
    });

    it(`[web.axe] has no violations where something went wrong, ${colorScheme}`, async () => {
      const app = await openWebApp(browser, service, { storageState: state, colorScheme });
      await app.open('/threads/nowhere');
      await app.page.getByText('Chat not found').waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.context().setOffline(true);
      await app.page.getByRole('link', { name: 'Start a new chat' }).click();
      await app.page.getByText('Connection lost').waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.close();
    });

    it(`[web.axe] has no violations on a phone, ${colorScheme}`, async () => {
      const app = await openWebApp(browser, service, { storageState: state, colorScheme, viewport: PHONE });
      await app.open();
      await messageBox(app.page).waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.page.getByRole('button', { name: 'Open the chats' }).click();
      await threadList(app.page).getByRole('link').first().waitFor();
      expect(await axeViolations(app.page)).toEqual([]);
      await app.close();
    });
  }
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
