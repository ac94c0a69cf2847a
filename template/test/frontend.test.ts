// The pages as a person uses them, in a real browser.
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevServer } from '../frontend/server/start-dev-server.ts';
import { startFrontend } from '../frontend/server/start-frontend.ts';
import { openBackend, PASSWORD, testConfig } from './support/open-backend.ts';

const { CHROMIUM_PATH, SCREENSHOTS } = process.env;
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const PREFIX = { APP_API_PREFIX: '/v1', APP_FEATURES_ENABLE_SWAGGER: 'true' };
let backend: Awaited<ReturnType<typeof openBackend>>;
let frontend: Awaited<ReturnType<typeof startFrontend>>;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  const executablePath = CHROMIUM_PATH ?? PLACES.find(existsSync);
  if (executablePath === undefined)
    throw new Error('Install Chromium (Debian: apt-get install chromium), or set CHROMIUM_PATH to its program.');
  await build({ root: 'frontend', logLevel: 'warn' });
  backend = await openBackend(PREFIX);
  frontend = await startFrontend(testConfig(PREFIX), backend.url);
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await frontend?.close();
  await backend?.close();
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ baseURL: frontend.url, ...options });
  page.on('pageerror', (it) => complaints.push(it.message));
  page.on('console', (it) => /Content Security|Uncaught/.test(it.text()) && complaints.push(it.text()));
  await page.goto(path);
  return page;
}

async function register(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Nothing that axe finds wrong, and a picture for whoever wants to see. */
async function look(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
  await page.evaluate(axe.source);
  expect(await page.evaluate('axe.run().then((it) => it.violations.map(({ help }) => help))')).toEqual([]);
}

it('registers, writes a note, changes and deletes it, by keyboard where one would', async () => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await look(page, 'sign-in');
  await page.getByRole('link', { name: 'Create one' }).click();
  await register(page, 'ada@example.com');
  await page.getByText('Nothing here yet').waitFor();
  await look(page, 'empty');

  await page.getByRole('link', { name: 'New note' }).click();
  await page.getByLabel('Title').fill('Shopping');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Milk');
  await page.getByText('Not saved yet').waitFor();
  await page.getByLabel('Title').press('Enter');
  await page.getByRole('navigation').getByRole('link', { name: 'Shopping' }).waitFor();
  await page.getByLabel('Text').fill('Milk and bread');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await look(page, 'note');
  await page.reload();
  expect(await page.getByLabel('Text').inputValue()).toBe('Milk and bread');

  await page.getByRole('button', { name: 'Delete this note' }).click();
  await page.getByRole('alertdialog').waitFor();
  await look(page, 'delete');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete this note' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Nothing here yet').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(complaints).toEqual([]);
});

it('says what is wrong, and is usable on a phone in the dark', async () => {
  const page = await open('/register', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  await register(page, 'eve@example.com', 'short');
  await page.getByText('A password has at least 10 characters.').waitFor();
  await look(page, 'phone-error');
  await register(page, 'eve@example.com');
  await page.getByRole('link', { name: 'New note' }).click();
  await page.getByLabel('Title').fill('On the road');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Delete this note' }).waitFor();
  await look(page, 'phone-note');
  await page.getByRole('link', { name: 'All notes' }).click();
  await page.getByRole('link', { name: 'On the road' }).waitFor();
  await look(page, 'phone-list');
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'New note' }).click();
  await page.getByLabel('Title').fill('Too late');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('shows the API on a page of the backend', async () => {
  const page = await open(`${backend.url}/docs`);
  await page.getByText('/notes/{id}').first().waitFor();
  expect(complaints).toEqual([]);
});

it('has the same /api from the sources', async () => {
  const dev = await startDevServer(testConfig(PREFIX), backend.url);
  const [page, me] = [await fetch(dev.url), await fetch(`${dev.url}/api/auth/me`)];
  expect([await page.text(), me.status]).toEqual([expect.stringContaining('/src/main.tsx'), 401]);
  await dev.close();
});
