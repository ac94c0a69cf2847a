// The goal of a chat, as a person sets it and sees the agent work towards it.
import { describe, expect, it } from 'vitest';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describe('goals', PATIENCE, () => {
  const chat = browserTests(
    (model) => `agent: {suggestions: {enabled: false}}\nmodels: [${scriptedModel(model)}]`,
  );
  const { open } = chat;
  const shoot = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/goal-${name}.png` });
  };

  it('[goals.web] sets a goal in a new chat, shows each judgement, and continues', async () => {
    const second = Promise.withResolvers<void>();
    const judgements = [
      { verdict: 'not_met', progress: true, reason: 'Two of the three files are missing.' },
      { verdict: 'not_met', progress: true, reason: 'One file is missing.' },
      { verdict: 'met', progress: true, reason: 'All three files are there.' },
    ];
    let answers = 0;
    chat.model.onRequest(async ({ body }) => {
      if (JSON.stringify(body.messages).includes('You judge'))
        return answer.text(JSON.stringify(judgements.shift()));
      answers += 1;
      if (answers === 2) await second.promise;
      return answer.text(`File number ${answers} is written.`);
    });
    const app = await open('/');
    const { page } = app;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const panel = page.getByRole('region', { name: 'Goal' });
    expect(await panel.count()).toBe(0);
    await page.getByRole('button', { name: 'Goal' }).press('Enter');
    await page.getByRole('textbox', { name: 'Goal' }).fill('There are three files');
    await page.getByLabel('Continuations').fill('1');
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'dialog');
    await page.getByRole('button', { name: 'Set goal' }).press('Enter');
    await panel.getByText('Work starts with your next message.').waitFor();
    await panel.getByRole('button', { name: 'Start', exact: true }).click();
    await panel.getByText('Two of the three files are missing.').waitFor();
    await panel.getByText('In progress').waitFor();
    expect(await panel.getByRole('button', { name: 'Remove' }).count()).toBe(0);
    await shoot(app, 'working');
    second.resolve();
    await panel.getByText(/continued 1 time, the limit/).waitFor();
    await panel.getByText('One file is missing.').waitFor();
    expect(await panel.textContent()).toContain('Continued 1 of 1 time');
    expect(await axeViolations(page)).toEqual([]);
    await shoot(app, 'stopped');

    const phone = await open(new URL(page.url()).pathname, { ...PHONE, colorScheme: 'dark' });
    const onPhone = phone.page.getByRole('region', { name: 'Goal' });
    await onPhone.getByRole('button', { name: /^Goal/ }).click();
    expect(await axeViolations(phone.page)).toEqual([]);
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await shoot(phone, 'phone');
    await onPhone.getByRole('button', { name: 'Set again' }).click();
    await phone.page.getByLabel('Continuations').fill('3');
    await phone.page.getByRole('button', { name: 'Set goal' }).click();
    await onPhone.getByRole('button', { name: 'Start', exact: true }).click();
    await onPhone.getByText('Reached', { exact: true }).waitFor();
    // The other window has it, too, and nobody asked for the goal by itself.
    await panel.getByText('Reached', { exact: true }).waitFor();
    expect(asked.filter((path) => path.endsWith('/goal'))).toHaveLength(1);
    await page.getByRole('button', { name: /^Goal/ }).first().click();
    await panel.getByText('All three files are there.').waitFor();
    await panel.getByRole('button', { name: 'Remove' }).click();
    await eventually(() => panel.count()).toBe(0);
    await eventually(() => onPhone.count()).toBe(0);
    expect(app.complaints).toEqual([]);
  });
});
