// API keys as a person makes and revokes them.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, PASSWORD, PATIENCE } from '../support/web-app.ts';

describe('API keys', PATIENCE, () => {
  const chat = chatForTests();

  const call = async (key: string) =>
    (await fetch(`${chat.service.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${key}` } }))
      .status;

  it('[web.api-keys] creates a key, shows it once, lists its use, and revokes it', async () => {
    const { page } = chat.app;
    await chat.app.open();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No API keys yet.').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('my laptop');
    await page.getByLabel('Permissions').selectOption('write');
    await page.getByLabel('Expiration').selectOption('90');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByTestId('made-key').textContent()) ?? '';
    expect(await call(key)).toBe(200);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await eventually(() => page.locator('main').textContent()).toContain('my laptop');
    await eventually(() => page.content()).not.toContain(key);
    await page.reload();
    await page.getByText('Read and write').waitFor();
    await eventually(() => page.locator('main').textContent()).toMatch(/Last used: now · Expires on/);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke my laptop' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('No API keys yet.').waitFor();
    expect(await call(key)).toBe(401);
    expect(chat.app.complaints).toEqual([]);
  });

  it('[web.password-again] asks for the password if it was entered too long ago, and keeps the form', async () => {
    const { page } = chat.app;
    await chat.app.open('/settings/api-keys');
    let refused = 0;
    await page.route('**/api/v1/auth/api-keys', (route) => {
      // The list of keys has the same address.
      if (route.request().method() !== 'POST' || refused === 2) return route.fallback();
      refused += 1;
      return route.fulfill({
        status: 403,
        json: { detail: { code: 'password_required', message: 'The password, please.' } },
      });
    });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('made after all');
    await page.getByLabel('Permissions').selectOption('write');
    await page.getByRole('button', { name: 'Create key' }).click();
    // Who does not want to give it now has the form as it was.
    await page.getByRole('textbox', { name: 'Password' }).press('Escape');
    await page.getByRole('textbox', { name: 'Password' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('made after all');
    expect(await page.getByLabel('Permissions').inputValue()).toBe('write');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByTestId('made-key').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/Expires on/).waitFor();
  });
});
