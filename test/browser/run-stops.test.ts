// Runs that end before they are done, models that answer for others, and what a chat took, as people see them.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const LOOK = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

const model = await startModelServer();
const other = await startModelServer();
const entry = (name: string, url: string, more = '') =>
  `{name: ${name}, display_name: The ${name} one, provider: openai-compatible, model: m, base_url: "${url}", context_window: 32000, price: {input_per_million: 2, output_per_million: 10, currency: USD}${more}}`;

describe('runs that end early', PATIENCE, () => {
  const chat = chatForTests(
    [
      'agent: {suggestions: {enabled: false}, loops: {warn_after: 2, stop_after: 3}}',
      'budgets: {per_run: {tokens: 20000}}',
      `models: [${entry('first', model.url, ', fallbacks: [second]')}, ${entry('second', other.url)}]`,
    ].join('\n'),
  );
  beforeEach(() => {
    model.reset();
    other.reset();
  });
  afterAll(async () => {
    await model.close();
    await other.close();
  });
  const shoot = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/stops-${name}.png` });
  };
  const noticeOf = ({ page }: WebApp, text: string) => page.getByRole('status').filter({ hasText: text });

  it('[web.fallback] [web.context] names the model that replies instead, and shows how much of the context is used', async () => {
    const { app } = chat;
    const { page } = app;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/token-usage')) asked.push(request.url());
    });
    model.onRequest(() => answer.unauthorized());
    other.enqueue(answer.text('It is tea.', { usage: { prompt: 8_000, completion: 1_000 } }));
    await app.send('What is this?');
    await app.untilAnswer(/It is tea\./);
    await page.getByText(/^The second one answers in place of The first one: /).waitFor();
    // What was chosen stays chosen.
    await page.getByRole('button', { name: 'Model: The first one' }).waitFor();
    const usage = page.getByRole('button', { name: /^Context ?25 % ?full, ?\$0\.026 ?so far$/ });
    await usage.press('Enter');
    await page.getByRole('dialog', { name: 'Usage of this chat' }).getByText('9,000').waitFor();
    expect(await page.getByRole('meter', { name: 'Context' }).getAttribute('aria-valuetext')).toBe(
      '8,000 of 32,000',
    );
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'usage');
    expect(asked).toHaveLength(1);
    const phone = await chat.open(new URL(page.url()).pathname, { ...PHONE, colorScheme: 'dark' });
    await phone.page.getByRole('button', { name: /^Context ?25 %/ }).tap();
    await phone.page.getByText('Cost so far').waitFor();
    expect(await axeViolations(phone.page)).toEqual([]);
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await shoot(phone, 'usage-phone');
    expect(app.complaints).toEqual([]);
  });

  it('[web.run-stop] continues after the budget of a run is spent, and asks for another approach after a loop', async () => {
    const { app } = chat;
    const { page } = app;
    model.enqueue(answer.toolCalls([LOOK], { usage: { prompt: 21_000, completion: 10 } }));
    model.onRequest(() => answer.text('There is nothing.'));
    await app.send('look around');
    const spent = noticeOf(app, 'The budget of this run is reached');
    await spent.getByRole('button', { name: 'Continue' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'budget');
    await spent.getByRole('button', { name: 'Continue' }).click();
    await app.untilAnswer(/There is nothing\./);
    await eventually(() => spent.count()).toBe(0);
    expect(await page.locator('[data-role="human"]').count()).toBe(1);

    model.onRequest(({ lastUserText }) =>
      lastUserText.startsWith('You were repeating yourself')
        ? answer.text('I asked a person.')
        : answer.toolCalls([LOOK]),
    );
    await app.send('look again');
    const loop = noticeOf(app, 'the agent was going round in circles');
    await loop.getByRole('button', { name: 'Try another way' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'loop');
    await loop.getByRole('button', { name: 'Try another way' }).click();
    await app.untilAnswer(/I asked a person\./);
    expect(app.complaints).toEqual([]);
  });
});
