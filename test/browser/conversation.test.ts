// A conversation from the first sign-in to the restart of the service, in a real browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import {
  axeViolationsInBothThemes,
  chooseModel,
  completeSetup,
  eventually,
  openWebApp,
  PATIENCE,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

/** Notes when an answer says less than it did, and what is announced before its last word. */
const WATCHED = `
  globalThis.lost = [];
  globalThis.announced = [];
  let most = 0;
  new MutationObserver(() => {
    const text = [...document.querySelectorAll('[data-role="assistant"] .markdown')].at(-1)?.textContent ?? '';
    // A space at the end is not seen, and is there or not as the text is still written or complete.
    const said = text.trimEnd().length;
    if (said < most) globalThis.lost.push([most, said]);
    most = Math.max(most, said);
    const announced = [...document.querySelectorAll('[role="status"]')].map((it) => it.textContent).join(' ');
    if (!text.trimEnd().endsWith(' 500')) globalThis.announced.push(announced);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

describe('a newcomer', PATIENCE, () => {
  let service: ServiceProcess;
  let app: WebApp;

  beforeAll(async () => {
    service = await startServiceProcess();
    app = await openWebApp(await openBrowser(), service);
  }, PATIENCE.timeout);
  afterAll(async () => {
    await app?.close();
    await service?.remove();
  });

  it('[web.setup] [web.axe] is guided from the generated credentials to their own account', async () => {
    const generated = await service.credentials();
    await app.open();
    await app.signIn(generated);
    await app.page.getByRole('heading', { name: 'Set up your account' }).waitFor();
    expect(await axeViolationsInBothThemes(app.page)).toEqual([]);
    await completeSetup(app.page);
    await expect(service.credentials()).rejects.toThrow(/ENOENT/);
  });

  it('[web.stream] sees the reply stream in and the tool call with its result', async () => {
    await app.send('write NOTES.md: hello');
    await app.untilAnswer(/I will write the file/);
    const card = app.page.locator('[data-tool="write_file"]');
    await eventually(() => card.getAttribute('data-tool-state')).toBe('success');
    await app.untilAnswer(/I wrote 1 word/);
    await card.getByText('workspace/NOTES.md').waitFor();
    await card.locator('[data-diff="added"]', { hasText: 'hello' }).waitFor();
  });

  it('[web.url] finds the id of the chat in the address and its title in the list', async () => {
    await eventually(() => app.page.url()).toMatch(/\/threads\/[A-Za-z0-9_-]+$/);
    await threadList(app.page)
      .getByRole('link', { name: /write NOTES\.md/ })
      .waitFor();
    await eventually(() => app.page.title()).toMatch(/write NOTES\.md/);
  });

  it('[web.csp] loads nothing that the security policy refuses', () => {
    expect(app.complaints).toEqual([]);
  });
});

describe('a slow reply', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'agent: {suggestions: {enabled: false}}',
      `models: [{name: demo, provider: demo, model: demo}, ${scriptedModel(model)}]`,
    ].join('\n'),
  );
  const newChat = chat.open;

  /** A chat whose model counts to 60 and then, when the test says so, to 500. */
  async function countingChat() {
    const [app, goOn] = [await newChat(), Promise.withResolvers<void>()];
    chat.model.onRequest(() => counting(60, goOn.promise));
    await chooseModel(app, 'scripted');
    await app.send('count to 500');
    return { app, goOn: () => goOn.resolve() };
  }
  const counting = (first: number, gate: PromiseLike<void>) =>
    answer.script(
      ...countTo(first).map((it) => step.text(`${it} `)),
      step.until(gate),
      ...countTo(500)
        .slice(first)
        .map((it) => step.text(it < 500 ? `${it} ` : '500')),
      step.finish(),
      step.done(),
    );

  it('[web.reload] loses nothing when the page is reloaded in mid-stream', async () => {
    const { app, goOn } = await countingChat();
    await app.untilAnswer(/\b30\b/);
    await app.page.reload();
    await app.page.getByRole('button', { name: 'Stop' }).waitFor();
    goOn();
    await app.untilAnswer(/\b500$/);
    expect(numbersIn(await app.answer())).toEqual(countTo(500));
  });

  it('[web.other-tab] is also shown in a tab that did not request it', async () => {
    const { app, goOn } = await countingChat();
    await eventually(() => app.page.url()).toMatch(/threads/);
    const other = await newChat(new URL(app.page.url()).pathname);
    await other.page.getByRole('button', { name: 'Stop' }).waitFor();
    goOn();
    await other.untilAnswer(/\b500$/);
    expect(numbersIn(await other.answer())).toEqual(countTo(500));
  });

  it('[web.stop] stops on request and keeps the text so far', async () => {
    const app = await newChat();
    await app.send('count to 2000');
    await app.untilAnswer(/\b30\b/);
    await app.page.getByRole('button', { name: 'Stop' }).click();
    await app.untilIdle();
    const kept = numbersIn(await app.answer());
    expect(kept.length).toBeGreaterThanOrEqual(30);
    expect(kept).toEqual(countTo(kept.length));
    await app.page.reload();
    await app.untilAnswer(new RegExp(`(?<!\\d)${kept.length}\\D*$`));
  });

  it('[web.one-stream] is no longer streamed when another chat is opened', async () => {
    const app = await newChat();
    const ended = app.page.waitForEvent('requestfailed', (request) =>
      /\/runs\/[^/]+\/stream/.test(request.url()),
    );
    await app.send('count to 2000');
    await app.untilAnswer(/\b20\b/);
    await app.page.getByRole('link', { name: 'New chat', exact: true }).click();
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await ended;
    // The run went on: its chat shows it again.
    await app.page.goBack();
    await app.untilAnswer(/\b60\b/);
    await app.page.getByRole('button', { name: 'Stop' }).click();
    await app.untilIdle();
  });

  it('[web.restart] [web.restart.seen] [web.end.lost] continues by itself when the service is killed and restarted', async () => {
    const { app } = await countingChat();
    await app.untilAnswer(/\b40\b/);
    await app.page.evaluate(WATCHED);
    await chat.service.kill();
    await app.page.getByText('Connection lost').waitFor();
    // The stream is given up after a few attempts: then the chat is opened anew when the service is back.
    await app.page
      .getByText('The connection was lost before the answer was complete.')
      .waitFor({ state: 'attached' });
    const seen = Promise.withResolvers<void>();
    chat.model.onRequest(() => counting(20, seen.promise));
    await chat.service.restart();
    // The answer is written anew, and has said less so far than was seen before.
    await app.page.getByRole('button', { name: 'Stop' }).waitFor();
    seen.resolve();
    await app.untilAnswer(/\b500$/);
    await app.untilIdle();
    expect(await app.page.evaluate('globalThis.lost')).toEqual([]);
    const complete = "globalThis.announced.filter((it) => it.includes('The answer is complete.'))";
    expect(await app.page.evaluate(complete)).toEqual([]);
    expect(numbersIn(await app.answer())).toEqual(countTo(500));
    await eventually(() => app.page.getByText('Connection lost').count()).toBe(0);
    expect(app.complaints).toEqual([]);
  });

  it('[web.reopen] is complete after a restart', async () => {
    const before = await newChat();
    await before.send('write LIST.md: milk');
    await before.untilAnswer(/I wrote 1 word/);
    await threadList(before.page)
      .getByRole('link', { name: /write LIST\.md/ })
      .waitFor();
    await before.close();
    await chat.service.kill();
    await chat.service.restart();
    const after = await newChat();
    await threadList(after.page)
      .getByRole('link', { name: /write LIST\.md/ })
      .click();
    await after.untilAnswer(/I wrote 1 word/);
    await after.page.locator('[data-tool="write_file"][data-tool-state="success"]').waitFor();
    await after.send('read LIST.md');
    await after.untilAnswer(/milk/);
  });
});

function numbersIn(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function countTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_, index) => index + 1);
}
