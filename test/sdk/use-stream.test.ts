// The SDK's React hook against the service, in a real browser.
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { type BuiltPage, buildHookPage, openTab, openWindow, type Tab } from './hook-page.ts';

const PATIENCE = { timeout: 240_000 };

/** An answer that stops after the first words until the gate is opened. */
function gated(first: string, rest: string) {
  const gate = Promise.withResolvers<void>();
  const steps = [step.text(first), step.until(gate.promise), step.text(rest), step.finish(), step.done()];
  return { open: () => gate.resolve(), answer: answer.script(...steps) };
}

const question = ({ page }: Tab) => page.locator('section');

describe('useStream', PATIENCE, () => {
  let browser: Browser;
  let built: BuiltPage;
  let service: ServedService;
  let window: BrowserContext;

  beforeAll(async () => {
    built = await buildHookPage();
    service = await openServedService({
      config: { agent: { approvals: { write_file: 'always' } } },
      overrides: { webRoot: built.root },
    });
    browser = await openBrowser();
  }, PATIENCE.timeout);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await built?.remove();
  });
  beforeEach(async () => {
    service.model.reset();
    window = await openWindow(browser, service);
  });
  afterEach(() => window.close());

  it('[hook.stream] shows the reply while it is written, and the stored messages afterwards', async () => {
    const held = gated('Hel', 'lo');
    service.model.enqueue(held.answer, answer.text('Again'));
    const tab = await openTab(window);
    await tab.send('hi');
    await tab.shows(['human: hi', 'ai: Hel']);
    held.open();
    await tab.shows(['human: hi', 'ai: Hello']);
    await tab.idle();
    await tab.send('more');
    await tab.shows(['human: hi', 'ai: Hello', 'human: more', 'ai: Again']);
    await tab.idle();
    expect(await tab.page.getByRole('heading').textContent()).toBe('hi');
    expect(tab.complaints).toEqual([]);
  });

  it('[hook.reload] continues after a reload in mid-stream, and once more from the start', async () => {
    const held = gated('one ', 'two');
    service.model.enqueue(held.answer);
    const tab = await openTab(window);
    await tab.send('count');
    await tab.shows(['human: count', 'ai: one ']);
    for (let times = 0; times < 2; times++) {
      await tab.page.reload();
      await tab.shows(['human: count', 'ai: one ']);
    }
    held.open();
    await tab.shows(['human: count', 'ai: one two']);
    await tab.idle();
    await tab.page.reload();
    await tab.shows(['human: count', 'ai: one two']);
    await tab.idle();
    expect(service.model.requests).toHaveLength(1);
  });

  it('[hook.stop] stops the run, keeps what was written, and asks nothing', async () => {
    const held = gated('partial', ' never');
    service.model.enqueue(held.answer, answer.text('Here again'));
    const tab = await openTab(window);
    await tab.send('hi');
    await tab.shows(['human: hi', 'ai: partial']);
    await tab.press('Stop');
    await tab.idle();
    await service.model.requests[0]?.ended;
    await tab.page.reload();
    await tab.shows(['human: hi', 'ai: partial']);
    expect(await question(tab).count()).toBe(0);
    expect(await tab.page.getByRole('alert').count()).toBe(0);
    await tab.send('go on');
    await tab.shows(['human: hi', 'ai: partial', 'human: go on', 'ai: Here again']);
    await tab.idle();
  });

  it('[hook.branch] edits a message, the first one too, and switches between the branches', async () => {
    service.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const tab = await openTab(window);
    await tab.send('one');
    await tab.shows(['human: one', 'ai: re one']);
    await tab.idle();
    await tab.send('two');
    await tab.shows(['human: one', 'ai: re one', 'human: two', 'ai: re two']);
    await tab.idle();
    await tab.write('two, edited');
    await tab.pressAt(2, 'Edit');
    const edited = ['human: one', 'ai: re one', 'human: two, edited', 'ai: re two, edited'];
    await tab.shows(edited);
    await tab.idle();
    await tab.pressAt(2, 'Older');
    await tab.shows(['human: one', 'ai: re one', 'human: two', 'ai: re two']);
    await tab.pressAt(2, 'Newer');
    await tab.shows(edited);
    await tab.write('anew');
    await tab.pressAt(0, 'Edit');
    await tab.shows(['human: anew', 'ai: re anew']);
    await tab.idle();
    await expect.poll(() => tab.page.locator('li').nth(0).locator('output').textContent()).toBe('2/2');
    await tab.pressAt(0, 'Older');
    await tab.shows(edited);
    expect(tab.complaints).toEqual([]);
  });

  it('[hook.regenerate] generates a reply again and keeps the other one', async () => {
    service.model.enqueue(answer.text('first'), answer.text('second'), answer.text('third'));
    const tab = await openTab(window);
    await tab.send('hi');
    await tab.shows(['human: hi', 'ai: first']);
    await tab.idle();
    await tab.pressAt(1, 'Regenerate');
    await tab.shows(['human: hi', 'ai: second']);
    await tab.idle();
    await tab.pressAt(1, 'Older');
    await tab.shows(['human: hi', 'ai: first']);
    await tab.write('more');
    await tab.press('Send here');
    await tab.shows(['human: hi', 'ai: first', 'human: more', 'ai: third']);
    await tab.idle();
  });

  it('[hook.interrupt] asks, also after a reload, and continues with the answer', async () => {
    const write = {
      name: 'write_file',
      args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'x' },
    };
    service.model.enqueue(
      answer.toolCalls([write]),
      answer.text('Written'),
      answer.toolCalls([write]),
      answer.text('I leave it'),
    );
    const tab = await openTab(window);
    await tab.send('note x');
    await question(tab).waitFor();
    await tab.page.reload();
    expect(await question(tab).textContent()).toContain('"name":"write_file"');
    await tab.press('Approve');
    await tab.shows(['human: note x', 'ai: ', 'tool: OK', 'ai: Written']);
    await tab.idle();
    expect(await question(tab).count()).toBe(0);
    await tab.send('once more');
    await question(tab).waitFor();
    await tab.press('Refuse');
    await tab.page.getByText('I leave it').waitFor();
    await tab.page.getByText('They said: not now').waitFor();
    await tab.idle();
    expect(service.model.requests).toHaveLength(4);
  });

  it('[hook.tabs] a second tab joins the run, and its message is queued behind it', async () => {
    const held = gated('one ', 'two');
    service.model.enqueue(held.answer, answer.text('three'));
    const first = await openTab(window);
    await first.send('count');
    await first.shows(['human: count', 'ai: one ']);
    const path = new URL(first.page.url()).pathname;
    const second = await openTab(window, path);
    await second.press('Join');
    await second.shows(['human: count', 'ai: one ']);
    const third = await openTab(window, path);
    await third.send('go on');
    held.open();
    const all = ['human: count', 'ai: one two', 'human: go on', 'ai: three'];
    await third.shows(all);
    for (const tab of [first, second]) {
      await tab.idle();
      await tab.page.reload();
      await tab.shows(all);
    }
  });

  it('[hook.queue] a message sent during a reply comes after it, or ends it', async () => {
    const held = gated('one ', 'two');
    service.model.enqueue(held.answer, gated('three', ' never').answer, answer.text('four'));
    const tab = await openTab(window);
    await tab.send('count');
    await tab.shows(['human: count', 'ai: one ']);
    await tab.send('go on');
    held.open();
    await tab.shows(['human: count', 'ai: one two', 'human: go on', 'ai: three']);
    await tab.write('no, this');
    await tab.press('Interrupt with');
    const all = ['human: count', 'ai: one two', 'human: go on', 'ai: three', 'human: no, this', 'ai: four'];
    await tab.shows(all);
    await tab.idle();
    expect(tab.complaints).toEqual([]);
  });
});
