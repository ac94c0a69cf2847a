// What the agent does at set times, as a person arranges it and sees what became of it.
import { afterAll, describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

const model = await startModelServer();

describe('schedules', PATIENCE, () => {
  const chat = chatForTests(
    [
      'agent: {suggestions: {enabled: false}}',
      'schedules: {check_seconds: 0.05}',
      `models: [{name: scripted, provider: openai-compatible, model: m, base_url: "${model.url}"}]`,
    ].join('\n'),
  );
  afterAll(() => model.close());
  const shoot = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/schedules-${name}.png` });
  };

  it('[web.schedules] [web.schedules.news] are created, run, changed and deleted; their results are announced', async () => {
    const { app } = chat;
    const { page } = app;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/schedules')) asked.push(request.url());
    });
    const written = Promise.withResolvers<void>();
    model.onRequest(async () => {
      await written.promise;
      return answer.text('Three kinds of oolong are new.');
    });
    await app.open('/');
    await page.getByText('Your chats appear here.').waitFor();
    expect(asked).toEqual([]);
    const way = page.getByRole('link', { name: 'Schedules' });
    await way.click();
    await page.getByText('Nothing is scheduled.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'empty');

    await page.getByRole('button', { name: 'New schedule' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tea news');
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('What is new about tea?');
    await page.getByRole('combobox', { name: 'Runs', exact: true }).selectOption('Every week');
    await page.getByRole('combobox', { name: 'On', exact: true }).selectOption('Friday');
    await page.getByLabel('At', { exact: true }).fill('08:30');
    await page.getByText('More choices').click();
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'dialog');
    await page.getByRole('button', { name: 'Create schedule' }).press('Enter');
    const row = page.getByRole('list', { name: 'Schedules' }).getByRole('listitem');
    await row.getByText('Every Friday at 08:30').waitFor();
    await row.getByText(/^Fri, .*08:30/).waitFor();

    await row.getByRole('button', { name: 'Run now: Tea news' }).click();
    await row.getByText('Running').waitFor();
    await page.getByRole('link', { name: 'New chat' }).first().click();
    written.resolve();
    await way.getByText('New results: 1').waitFor();
    await way.click();
    await row.getByText('Done').waitFor();
    await eventually(() => way.getByText('New results').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause: Tea news' }).click();
    await row.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume: Tea news' }).click();
    await row.getByText(/^Fri, /).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'wide');
    await page.getByRole('button', { name: 'History: Tea news' }).click();
    const history = page.getByRole('dialog').getByRole('list', { name: 'Runs' });
    await history.getByText('Started by hand').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'history');
    await history.getByRole('link', { name: 'Open chat' }).click();
    await app.untilAnswer(/Three kinds of oolong/);

    const phone = await chat.open('/schedules', { ...PHONE, colorScheme: 'dark' });
    await phone.page.getByRole('button', { name: 'Edit Tea news' }).click();
    expect(await phone.page.getByLabel('At', { exact: true }).inputValue()).toBe('08:30');
    await phone.page.getByRole('combobox', { name: 'Runs', exact: true }).selectOption('Advanced (cron)');
    await phone.page.getByRole('textbox', { name: 'Cron' }).fill('61 8 * * 5');
    await phone.page.getByRole('button', { name: 'Save' }).click();
    await phone.page.getByRole('dialog').getByRole('alert').waitFor();
    await phone.page.getByRole('textbox', { name: 'Cron' }).fill('*/30 8 * * 5');
    expect(await axeViolations(phone.page)).toEqual([]);
    await shoot(phone, 'phone-dialog');
    await phone.page.getByRole('button', { name: 'Save' }).click();
    await phone.page.getByText('By cron: */30 8 * * 5').waitFor();
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(phone.page)).toEqual([]);
    await shoot(phone, 'phone');
    await phone.page.getByRole('button', { name: 'Delete: Tea news' }).click();
    await phone.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await phone.page.getByText('Nothing is scheduled.').waitFor();
    expect(app.complaints).toEqual([]);
  });
});
