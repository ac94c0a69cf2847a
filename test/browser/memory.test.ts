// What agents remember of a person, as the person sees and changes it.
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

const { SCREENSHOTS } = process.env;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const materialSchema = z.object({ said: z.array(z.object({ message_id: z.string() })) });

describe('memory', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'agent: {suggestions: {enabled: false}}',
      'memory: {extraction: {enabled: true, delay_seconds: 0}}',
      `models: [${scriptedModel(model)}]`,
    ].join('\n'),
  );
  const { open } = chat;
  beforeEach(() =>
    chat.model.onRequest(({ lastUserText }) => {
      const { success, data } = materialSchema.safeParse(asJson(lastUserText));
      if (!success) return answer.text('Then I suggest sencha.');
      const message_id = data.said.at(-1)?.message_id;
      const fact = { content: 'Prefers green tea to coffee', category: 'preference', confidence: 0.95 };
      return answer.text(JSON.stringify([{ ...fact, message_id, quote: 'green tea over coffee' }]));
    }),
  );

  it('[web.memory] shows each fact with its source; every change can be made and undone', async () => {
    const app = await open('/');
    const { page } = app;
    const shoot = async (name: string, of: WebApp = app) => {
      if (SCREENSHOTS !== undefined) await of.page.screenshot({ path: `${SCREENSHOTS}/memory-${name}.png` });
    };
    const facts = page.getByRole('listitem').filter({ hasText: /sure|Certain/ });
    const written = facts.filter({ hasText: 'Keeps three beehives' });
    await page.getByRole('link', { name: 'Memory' }).click();
    await page.getByText('Nothing is remembered yet.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shoot('empty');

    await page.getByRole('link', { name: 'New chat' }).first().click();
    await app.send('I take green tea over coffee. What do you suggest?');
    await app.untilAnswer(/sencha/);
    await eventually(async () => (await page.request.get('/api/memory')).text()).toContain('green tea');
    await page.getByRole('link', { name: 'Memory' }).click();
    const source = facts.filter({ hasText: '95 % sure' }).getByRole('link', { name: /^From “I take green/ });
    await source.click();
    await page.waitForURL(/\/threads\/.+#.+/);
    await page.getByText('I take green tea over coffee').last().waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Add fact' }).press('Enter');
    await page.getByRole('textbox', { name: 'Fact' }).fill('Keeps three beehives');
    await page.getByLabel('Confidence in percent').fill('80');
    await page.getByRole('textbox', { name: 'Fact' }).press('Enter');
    await written.getByText('Written by you').waitFor();
    expect(await written.textContent()).toContain('80 % sure');
    await page.getByRole('button', { name: 'Add fact' }).click();
    await page.getByRole('textbox', { name: 'Fact' }).fill('keeps three beehives.');
    await page.getByRole('dialog').getByRole('button', { name: 'Add fact' }).click();
    await page.getByText('This fact already exists.').waitFor();
    await page.keyboard.press('Escape');
    expect(await axeViolations(page)).toEqual([]);
    await shoot('wide');

    await page.getByRole('searchbox', { name: 'Filter the facts' }).fill('beehive');
    await eventually(() => facts.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Filter the facts' }).fill('');
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Preference');
    await eventually(() => written.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Category' }).selectOption('All categories');
    await page.getByRole('button', { name: 'Delete: Keeps three beehives' }).press('Enter');
    await eventually(() => written.count()).toBe(0);
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('Undo');
    await page.keyboard.press('Enter');
    await written.waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await eventually(() => written.count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await written.waitFor();

    const phone = await open('/memory', { ...PHONE, colorScheme: 'dark' });
    await phone.page.getByRole('button', { name: 'Edit: Prefers green tea to coffee' }).click();
    expect(await axeViolations(phone.page)).toEqual([]);
    await shoot('phone-dialog', phone);
    await phone.page.getByRole('textbox', { name: 'Fact' }).fill('Prefers mate to coffee');
    await phone.page.getByRole('button', { name: 'Save' }).click();
    const changed = phone.page.getByRole('listitem').filter({ hasText: 'Prefers mate to coffee' });
    await changed.getByText('Written by you').waitFor();
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(phone.page)).toEqual([]);
    await shoot('phone', phone);
    // The other window has not seen this change.
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('The memory has changed in the meantime. Reload it.').waitFor();
    await facts.filter({ hasText: 'mate' }).waitFor();

    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await (await downloaded).path();
    await page.getByRole('button', { name: 'Forget everything' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget everything' }).click();
    await page.getByText('Nothing is remembered yet.').waitFor();
    const notAMemory = { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{"tea": 1}') };
    await page.getByLabel('Memory to import').setInputFiles(notAMemory);
    await page.getByText('This file is not an exported memory.').waitFor();
    await page.getByLabel('Memory to import').setInputFiles(file);
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Imported: 2 facts.').waitFor();
    await facts.filter({ hasText: 'mate' }).waitFor();

    await page.getByRole('switch', { name: 'Remember me' }).click();
    await page.getByText('Agents do not read these facts').waitFor();
    await page.reload();
    await page.getByText('Agents do not read these facts').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page)).toEqual([]);
    await shoot('off-dark');
    await page.route('/api/memory?*', (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('/api/memory?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await facts.filter({ hasText: 'mate' }).waitFor();
  });
});

/** Undefined for words. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
