// API keys as a person makes and revokes them.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, PATIENCE } from '../support/web-app.ts';

describe('API keys', PATIENCE, () => {
  const chat = chatForTests();

  const call = async (key: string) =>
    (await fetch(`${chat.service.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${key}` } }))
      .status;

  it('[web.api-keys] makes a key, shows it once, lists its use, and revokes it', async () => {
    const { page } = chat.app;
    await chat.app.open();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('You have no keys yet.').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('my laptop');
    await page.getByLabel('It may').selectOption('write');
    await page.getByLabel('It expires').selectOption('90');
    await page.getByRole('button', { name: 'Make key' }).click();
    const key = (await page.getByTestId('made-key').textContent()) ?? '';
    expect(await call(key)).toBe(200);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await eventually(() => page.locator('main').textContent()).toContain('my laptop');
    await eventually(() => page.content()).not.toContain(key);
    await page.reload();
    await page.getByText('Reads and writes').waitFor();
    await eventually(() => page.locator('main').textContent()).toMatch(/Last used: now · Expires on/);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke my laptop' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('You have no keys yet.').waitFor();
    expect(await call(key)).toBe(401);
    expect(chat.app.complaints).toEqual([]);
  });
});
