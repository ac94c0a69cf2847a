// Agents in the browser: made, chosen for a chat, changed, and shown with their chat on another device.

import { describe, expect, it } from 'vitest';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { axeViolations, eventually, messageBox, PATIENCE } from '../support/web-app.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describe('agents', PATIENCE, () => {
  const chat = browserTests(
    (model) =>
      `agent: {suggestions: {enabled: false}}\nmodels: [${scriptedModel(model, 'first')}, ${scriptedModel(model, 'second')}]`,
  );
  const { open } = chat;
  const prompt = () => JSON.stringify(chat.model.requests.at(-1)?.body);

  it('[web.agents] [web.agents.held] are created and chosen for a chat, which keeps its agent and model on every device', async () => {
    chat.model.onRequest(() => answer.text('Drink slowly.'));
    const { page } = await open('/');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('tea-master');
    await page.getByRole('textbox', { name: 'Character' }).fill('You are a calm tea master.');
    await page.getByRole('checkbox', { name: 'All tools' }).uncheck();
    await page.getByRole('checkbox', { name: 'commands' }).uncheck();
    await page.getByRole('button', { name: 'Create agent' }).press('Enter');
    await page.getByRole('list', { name: 'Agents' }).getByText('tea-master', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page
      .getByRole('link', { name: /New chat/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Agent: Lead agent' }).click();
    await page.getByRole('menuitemradio', { name: 'tea-master' }).click();
    await messageBox(page).fill('How do I drink it?');
    await messageBox(page).press('Enter');
    await page.getByText('Drink slowly.').first().waitFor();
    expect(prompt()).toContain('You are a calm tea master.');
    expect(prompt()).not.toContain('"name":"bash"');
    await page.waitForURL(/threads/);
    const kept = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.getByRole('button', { name: 'Model: first' }).click();
    await page.getByRole('menuitemradio', { name: 'second' }).click();
    expect((await kept).ok()).toBe(true);

    const phone = await open(new URL(page.url()).pathname, PHONE);
    await phone.page.getByRole('button', { name: 'Agent: tea-master' }).waitFor();
    await phone.page.getByRole('button', { name: 'Model: second' }).waitFor();
    await phone.page.getByText('Drink slowly.').first().waitFor();
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(phone.page)).toEqual([]);
    await phone.open('/');
    const path = new URL(page.url()).pathname;
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<void>();
    await phone.page.route(`**/api${path}`, async (route) => {
      asked.resolve();
      await known.promise;
      await route.continue();
    });
    await phone.open(path);
    await asked.promise;
    await messageBox(phone.page).fill('And how long?');
    const begun = chat.model.requests.length;
    await phone.page.getByRole('button', { name: 'Send', exact: true }).click();
    await phone.page.getByText('Drink slowly.').first().waitFor();
    expect(await messageBox(phone.page).inputValue()).toBe('And how long?');
    expect(chat.model.requests.length).toBe(begun);
    known.resolve();
    await eventually(() => messageBox(phone.page).inputValue()).toBe('');
    await eventually(() => chat.model.requests.length).toBe(begun + 1);
    expect(prompt()).toContain('You are a calm tea master.');
    await phone.untilIdle();
    await phone.open('/agents');
    await phone.page.getByRole('button', { name: 'Edit tea-master' }).click();
    await phone.page.getByRole('textbox', { name: 'Character' }).fill('You are wild.');
    await phone.page.getByRole('button', { name: 'Save' }).click();
    const versions = phone.page.getByRole('button', { name: 'Version 2 of tea-master' });
    await versions.waitFor();
    await versions.click();
    await phone.page.getByRole('button', { name: 'Go back to version 1' }).click();
    await phone.page.getByText(/^Version 3, /).waitFor();
    expect(await axeViolations(phone.page)).toEqual([]);

    await page.getByRole('link', { name: 'Agents' }).click();
    const row = page.getByRole('list', { name: 'Agents' });
    await row.getByText('Version 3').waitFor();
    await row.getByRole('button', { name: 'Share tea-master' }).click();
    await row.getByText('Shared with everyone').waitFor();
    const downloaded = page.waitForEvent('download');
    await row.getByRole('button', { name: 'Export tea-master' }).click();
    const file = await (await downloaded).path();
    await row.getByRole('button', { name: 'Delete tea-master' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No agents yet.').waitFor();
    const notAnAgent = { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('tea') };
    await page.getByLabel('Agent to import').setInputFiles(notAnAgent);
    await page.getByText('This file is not an exported agent.').waitFor();
    await page.getByLabel('Agent to import').setInputFiles(file);
    await row.getByText('Version 1').waitFor();
    await page.getByText('tea-master', { exact: true }).waitFor();
  });
});
