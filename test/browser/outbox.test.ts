// What a person sends while nothing answers, or while the agent is busy, or after the session has ended.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import {
  axeViolations,
  EMAIL,
  eventually,
  messageBox,
  PASSWORD,
  PATIENCE,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

/** Notes when no message is on the screen any more. */
const WATCHED = `
  globalThis.vanished = 0;
  new MutationObserver(() => {
    if (document.querySelector('[data-role="human"]') === null) globalThis.vanished += 1;
  }).observe(document.body, { subtree: true, childList: true });
`;
/** Answers late that the lock of the outbox is given back, as a busy browser does. */
const SLOW_LOCKS = `
  const request = navigator.locks.request.bind(navigator.locks);
  let given = 0;
  globalThis.held = () => given;
  navigator.locks.request = async (...work) => {
    given += 1;
    const done = await request(...work);
    await new Promise((resolve) => { globalThis.giveBack = resolve; });
    return done;
  };
`;
const NEXT_FRAMES =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))';
const OTHER = { email: 'otto@example.com', password: 'another long passphrase' };

describe('messages on their way', PATIENCE, () => {
  const chat = chatForTests('server: { max_json_bytes: 4096 }');

  it('[web.outbox] wait for the connection, can be changed or discarded, and are sent once, in their order', async () => {
    const { page } = chat.app;
    await page.context().setOffline(true);
    await say(chat.app, 'count to 3');
    await say(chat.app, 'count to 5');
    await say(chat.app, 'count to 7');
    const waiting = page.locator('[data-unread="waiting"]');
    await eventually(() => waiting.count()).toBe(3);
    await waiting.first().getByText('Waiting for the connection').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: 'Your message will be sent when you are back online.' })
      .waitFor();
    await page.getByRole('link', { name: 'New chat', exact: true }).click();
    await page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await page
      .getByRole('region', { name: 'Not sent yet' })
      .getByRole('link', { name: 'count to 3' })
      .click();
    await eventually(() => waiting.count()).toBe(3);
    await waiting.first().getByRole('button', { name: 'Edit this message' }).click();
    await page.getByRole('textbox', { name: 'Your message' }).press('Escape');
    await eventually(() => page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe(
      'Edit this message',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Your message' }).fill('count to 4');
    await page.getByRole('button', { name: 'Save' }).click();
    await waiting.last().getByRole('button', { name: 'Discard this message' }).click();
    await eventually(() => waiting.count()).toBe(2);
    expect(await axeViolations(page)).toEqual([]);
    await page.context().setOffline(false);
    await chat.app.untilAnswer(/1 2 3 4 5$/);
    await chat.app.untilIdle();
    expect(await said(chat.app)).toEqual(['count to 4', 'count to 5']);
    expect(await page.locator('[data-unread]').count()).toBe(0);

    await page.context().setOffline(true);
    await say(chat.app, 'count to 6');
    await waiting.getByText('Waiting for the connection').waitFor();
    await page.context().setOffline(false);
    await chat.app.untilAnswer(/1 2 3 4 5 6$/);
    expect(await said(chat.app)).toEqual(['count to 4', 'count to 5', 'count to 6']);
  });

  it('[web.outbox.still] stay on the screen if the run ends before the new chat is loaded', async () => {
    const { page } = chat.app;
    const told = Promise.withResolvers<void>();
    await page.route(/\/history$|\/stream\?/, async (route) => {
      await told.promise;
      await route.continue();
    });
    await page.route(/\/runs\?limit=10&/, async (route) => {
      let response = await route.fetch();
      while (/"status":"(pending|running)"/.test(await response.text())) response = await route.fetch();
      await route.fulfill({ response });
    });
    const runsRead = page.waitForResponse(/\/runs\?limit=10&/);
    await say(chat.app, 'count to 2');
    await page.locator('[data-role="human"]').waitFor();
    await page.evaluate(WATCHED);
    await runsRead;
    await page.evaluate(NEXT_FRAMES);
    told.resolve();
    await chat.app.untilAnswer(/1 2$/);
    await chat.app.untilIdle();
    expect(await page.evaluate('globalThis.vanished')).toBe(0);
    expect(await said(chat.app)).toEqual(['count to 2']);
  });

  it('[web.outbox] are sent by a page that is opened later', async () => {
    const context = chat.app.page.context();
    await context.setOffline(true);
    await say(chat.app, 'count to 8');
    await chat.app.page.getByText('Waiting for the connection', { exact: true }).waitFor();
    await chat.app.page.close();
    await context.setOffline(false);
    const page = await context.newPage();
    await page.goto('/');
    await threadList(page)
      .getByRole('link', { name: /^count to 8/ })
      .click();
    await page.getByText('1 2 3 4 5 6 7 8', { exact: true }).waitFor();
    expect(await page.locator('[data-role="human"]').allTextContents()).toEqual(['count to 8']);
  });

  it('[web.outbox.next] are also sent if they were written while the previous one was being stored', async () => {
    const { page } = chat.app;
    await page.evaluate(SLOW_LOCKS);
    await say(chat.app, 'count to 3');
    await chat.app.untilAnswer(/1 2 3$/);
    await chat.app.untilIdle();
    await say(chat.app, 'count to 4');
    expect(await page.evaluate('globalThis.held()')).toBe(1);
    await page.evaluate('globalThis.giveBack()');
    await chat.app.untilAnswer(/1 2 3 4$/);
  });

  it('[web.outbox.once] are not repeated when the response to the request was lost', async () => {
    const { page } = chat.app;
    const keys: (string | undefined)[] = [];
    await page.route(/\/runs$/, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await say(chat.app, 'count to 9');
    await chat.app.untilAnswer(/1 2 3 4 5 6 7 8 9$/);
    await eventually(() => keys.length).toBe(2);
    expect(keys[0]).toMatch(/^m-/);
    expect(keys[1]).toBe(keys[0]);
    await chat.app.untilIdle();
    expect(await said(chat.app)).toEqual(['count to 9']);
    const runs = await page.request.get(`/api${new URL(page.url()).pathname}/runs?limit=10`);
    expect(await runs.json()).toHaveLength(1);
  });

  it('[web.outbox.once] return if another message has already arrived', async () => {
    const { page } = chat.app;
    let requests = 0;
    await page.route(/\/runs$/, async (route) => {
      requests += 1;
      if (requests > 1) return route.continue();
      await route.fetch();
      await page.context().setOffline(true);
      await route.abort();
    });
    await say(chat.app, 'count to 3');
    const waiting = page.locator('[data-unread="waiting"]');
    await waiting.getByRole('button', { name: 'Edit this message' }).press('Enter');
    await page.getByRole('textbox', { name: 'Your message' }).fill('count to 5');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.context().setOffline(false);
    await chat.app.untilAnswer(/1 2 3$/);
    await eventually(() => messageBox(page).inputValue()).toBe('count to 5');
    await page.getByRole('alert').getByText('An earlier version was already sent.').waitFor();
    expect(await said(chat.app)).toEqual(['count to 3']);
  });

  it('[web.outbox.refused] return with the reason when the service refuses them', async () => {
    const text = `count to 3 ${'please '.repeat(700)}`.trim();
    await say(chat.app, text);
    await chat.app.page
      .getByRole('alert')
      .getByText(/^Your message was not sent\./)
      .waitFor();
    await eventually(() => messageBox(chat.app.page).inputValue()).toBe(text);
    await chat.app.page.reload();
    await chat.app.page
      .getByRole('alert')
      .getByText(/^Your message was not sent\./)
      .waitFor();
    expect(await messageBox(chat.app.page).inputValue()).toBe(text);
    await say(chat.app, 'count to 3');
    await chat.app.untilAnswer(/1 2 3$/);
    expect(await said(chat.app)).toEqual(['count to 3']);
    expect(await chat.app.page.getByRole('alert').count()).toBe(0);
  });

  it('[web.queue] wait for the current reply, also after a reload, and can be withdrawn', async () => {
    const { page } = chat.app;
    await say(chat.app, 'count to 2000');
    await chat.app.untilAnswer(/\b20\b/);
    const queued = page.locator('[data-unread="queued"]');
    for (const text of ['count to 3', 'count to 4', 'count to 5', 'count to 6']) {
      await say(chat.app, text);
      await queued.filter({ hasText: text }).waitFor();
    }
    // By keyboard: the answer grows above them.
    await queued.nth(1).getByRole('button', { name: 'Discard this message' }).press('Enter');
    await eventually(() => queued.count()).toBe(3);
    await page.reload();
    await eventually(() => queued.allTextContents()).toEqual([
      'count to 3Queued',
      'count to 5Queued',
      'count to 6Queued',
    ]);
    expect(await axeViolations(page)).toEqual([]);
    await queued.nth(1).getByRole('button', { name: 'Edit this message' }).press('Enter');
    await eventually(() => messageBox(page).inputValue()).toBe('count to 5');
    await page.getByRole('button', { name: 'Stop' }).click();
    await chat.app.untilAnswer(/1 2 3 4 5 6$/);
    await eventually(() => said(chat.app)).toEqual(['count to 2000', 'count to 3', 'count to 6']);
    expect(await messageBox(page).inputValue()).toBe('count to 5');
  });

  it('[web.draft.session] and drafts are there after the same person signs in again, and for nobody else', async () => {
    const { page } = chat.app;
    await say(chat.app, 'count to 2');
    await chat.app.untilAnswer(/1 2$/);
    await messageBox(page).fill('half a thought');
    const answer = await page.request.post('/api/v1/auth/register', { data: OTHER });
    expect(answer.status()).toBe(201);
    await page.context().clearCookies();
    // The next request notices it, and the box goes: the search, or one that the page made by itself before.
    await page
      .getByRole('combobox', { name: 'Search titles and messages' })
      .fill('x', { timeout: 2_000 })
      .catch(() => {});
    await chat.app.signIn({ email: EMAIL, password: PASSWORD });
    await eventually(() => messageBox(page).inputValue()).toBe('half a thought');

    await chat.app.untilAnswer(/1 2$/);
    // The session ends with the message on its way: nothing that the page asks by itself notices it before.
    await page.route(/\/runs$/, async (route) => {
      await page.context().clearCookies();
      await route.continue();
    });
    await say(chat.app, 'count to 3');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.unroute(/\/runs$/);
    await chat.app.signIn(OTHER);
    await page.getByText('Chat not found').waitFor();
    await page.getByRole('link', { name: 'Start a new chat' }).click();
    expect(await messageBox(page).inputValue()).toBe('');
    expect(await page.getByText('count to 3').count()).toBe(0);
    const address = new URL(page.url()).pathname;
    await page.getByRole('button', { name: /Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await chat.app.signIn({ email: EMAIL, password: PASSWORD });
    expect(address).toBe('/');
    await threadList(page)
      .getByRole('link', { name: /^count to 2/ })
      .first()
      .click();
    await chat.app.untilAnswer(/1 2 3$/);
    expect(await said(chat.app)).toEqual(['count to 2', 'count to 3']);
  });
});

async function say({ page }: WebApp, text: string): Promise<void> {
  await messageBox(page).fill(text);
  await messageBox(page).press('Enter');
}

function said({ page }: WebApp): Promise<readonly string[]> {
  return page.locator('[data-role="human"]').allTextContents();
}
