// What a person has used, and a budget that is reached, as they see it.
import { describe, expect, it } from 'vitest';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { axeViolations, eventually, PATIENCE } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
const PRICE = '{input_per_million: 2, output_per_million: 10, currency: USD}';

describe('usage', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'budgets: {per_user_day: {tokens: 30000, cost: 0.5}}',
      'agent: {suggestions: {enabled: false}}',
      `models: [${scriptedModel(model, 'scripted', `, display_name: Scripted One, description: Says what it is told, max_tokens: 100, price: ${PRICE}`)}]`,
    ].join('\n'),
  );

  it('[web.usage] [web.usage.day] [web.models.words] shows what is used and what remains, and a chat says that a budget is reached', async () => {
    const app = await chat.open('/settings/usage');
    const { page } = app;
    const shoot = async (name: string) => {
      if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/usage-${name}.png` });
    };
    await page.getByText('No usage in the last 30 days.').waitFor();
    await page.goto('/');
    await page.getByText('Plan a weekend in Lisbon').waitFor();
    expect(await page.getByText('run ls -la').count()).toBe(0);
    await page.getByRole('button', { name: 'Model: Scripted One' }).click();
    await page.getByRole('menuitemradio', { name: 'Says what it is told' }).waitFor();
    await page.keyboard.press('Escape');
    chat.model.enqueue(answer.text('Hello.', { usage: { prompt: 28_000, completion: 1_000 } }));
    await app.send('hello');
    await app.untilAnswer(/Hello\./);
    await app.send('and again');
    const notice = page.getByRole('status').filter({ hasText: 'Your budget for today is reached' });
    await notice.waitFor();
    await shoot('budget-reached');
    expect(await notice.textContent()).toContain('A new one starts at 00:00 UTC');
    expect(await notice.getByRole('button').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.reload();
    await notice.getByRole('link', { name: 'View usage' }).click();
    await eventually(() => page.getByRole('meter', { name: 'Tokens' }).getAttribute('aria-valuetext')).toBe(
      '29,000 of 30,000',
    );
    await eventually(() => page.locator('main').textContent()).toContain('29,000 tokens · $0.066');
    expect(await page.getByRole('region', { name: 'Models' }).textContent()).toContain('Scripted One');
    expect(await axeViolations(page)).toEqual([]);
    await shoot('wide');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shoot('dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot('phone');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(390);
    expect(app.complaints).toEqual([]);
  });
});

describe('the budget of a run', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'budgets: {per_run: {tokens: 500}}',
      `models: [${scriptedModel(model, 'scripted', ', max_tokens: 100')}]`,
    ].join('\n'),
  );

  it('[web.usage.day] offers a retry when the budget of one run is reached', async () => {
    const app = await chat.open();
    await app.send('hello');
    const notice = app.page.getByRole('status').filter({ hasText: 'The budget of this run is reached' });
    await notice.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    expect(app.complaints).toEqual([]);
  });
});

describe('the usage of a reply', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'agent: {suggestions: {enabled: false}}',
      `models: [${scriptedModel(model, 'scripted', `, price: ${PRICE}`)}]`,
    ].join('\n'),
  );

  it('[web.usage.answer] shows below a reply what it used, also while it is written', async () => {
    const app = await chat.open();
    const { page } = app;
    const shoot = async (name: string) => {
      if (SCREENSHOTS !== undefined)
        await page.screenshot({ path: `${SCREENSHOTS}/answer-usage-${name}.png` });
    };
    const lines = async () =>
      (await page.getByText(/ tokens/).allTextContents()).map((text) =>
        text.replace('This answer took ', ''),
      );
    const list = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };
    chat.model.enqueue(answer.toolCalls([list], { usage: { prompt: 1_000, completion: 100 } }));
    const last = Promise.withResolvers<ReturnType<typeof answer.text>>();
    chat.model.onRequest(() => last.promise);
    await app.send('look around');
    await eventually(lines).toEqual(['1,100 tokens · $0.003 · scripted']);
    await shoot('running');
    last.resolve(answer.text('There is nothing.', { usage: { prompt: 1_200, completion: 50 } }));
    await app.untilAnswer(/There is nothing\./);
    await eventually(lines).toEqual(['2,350 tokens · $0.0059 · scripted']);
    chat.model.enqueue(answer.text('Nothing to say.', { usage: { prompt: 0, completion: 0 } }));
    await app.send('and this?');
    await app.untilAnswer(/Nothing to say\./);
    await page.getByRole('button', { name: 'Good answer' }).nth(1).waitFor();
    await eventually(lines).toEqual(['2,350 tokens · $0.0059 · scripted']);
    await page.reload();
    await eventually(lines).toEqual(['2,350 tokens · $0.0059 · scripted']);
    expect(await axeViolations(page)).toEqual([]);
    await shoot('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page)).toEqual([]);
    await shoot('dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot('phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(app.complaints).toEqual([]);
  });
});
