// The pages as a person uses them, in a real browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import axe from 'axe-core';
import { pino } from 'pino';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startDevServer } from '../frontend/server/start-dev-server.ts';
import { startFrontend } from '../frontend/server/start-frontend.ts';
import { openBackend, PASSWORD, testConfig } from './support/open-backend.ts';

const { CHROMIUM_PATH, SCREENSHOTS } = process.env;
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);
const PREFIX = { APP_API_PREFIX: '/v1', APP_FEATURES_ENABLE_SWAGGER: 'true' };
let backend: Awaited<ReturnType<typeof openBackend>>;
let frontend: Awaited<ReturnType<typeof startFrontend>>;
let browser: Browser;
const complaints: string[] = [];
/** The log of the frontend's server. */
const lines: { method?: string; path?: string; status?: number; requestId?: string }[] = [];

beforeAll(async () => {
  const executablePath = CHROMIUM_PATH ?? PLACES.find(existsSync);
  if (executablePath === undefined)
    throw new Error('Install Chromium (Debian: apt-get install chromium), or set CHROMIUM_PATH to its program.');
  // As they are shipped; vitest itself says `test`.
  vi.stubEnv('NODE_ENV', 'production');
  await build({ root: 'frontend', logLevel: 'warn' });
  vi.unstubAllEnvs();
  backend = await openBackend(PREFIX);
  const config = testConfig({ ...PREFIX, APP_LOGGING_LEVEL: 'info' });
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  frontend = await startFrontend({ config, log, backendUrl: backend.url });
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
  // The page for signing in, which may still be there, has the same fields.
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Checks that axe finds no violation, and saves a screenshot. */
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

it('keeps its width, however long titles, texts and addresses are', async () => {
  const page = await open('/register', { viewport: { width: 360, height: 740 } });
  const fits = () =>
    page.evaluate(`[...document.querySelectorAll('html, nav, main, main > div, header, [role=alertdialog]')]
      .filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.outerHTML.slice(0, 80))`);
  await register(page, `${'a'.repeat(60)}@${'b'.repeat(60)}.example`);
  await page.getByRole('link', { name: 'New note' }).click();
  await page.getByLabel('Title').fill('W'.repeat(200));
  await page.getByLabel('Text').fill(`${'word '.repeat(50)}${'x'.repeat(300)}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Delete this note' }).click();
  await page.getByRole('alertdialog').waitFor();
  expect(await fits()).toEqual([]);
  await look(page, 'long-delete');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'All notes' }).click();
  await page.getByRole('link', { name: 'W'.repeat(200) }).waitFor();
  expect(await fits()).toEqual([]);
  await look(page, 'long-list');
  await page.setViewportSize({ width: 1100, height: 740 });
  expect(await fits()).toEqual([]);
  await look(page, 'long-desktop');
});

it('lets the person choose when another window saved the note first', async () => {
  const here = await open('/register');
  await register(here, 'two-tabs@example.com');
  await here.getByRole('link', { name: 'New note' }).click();
  await here.getByLabel('Title').fill('Plan');
  await here.getByRole('button', { name: 'Save' }).click();
  await here.getByRole('button', { name: 'Delete this note' }).waitFor();
  const there = await open(here.url(), { storageState: await here.context().storageState() });
  const write = async (page: Page, words: string) => {
    await page.getByLabel('Text').fill(words);
    await page.getByRole('button', { name: 'Save' }).click();
  };
  const conflict = here.getByRole('region', { name: 'Changed elsewhere' });

  await write(there, 'from there');
  await there.getByText('Saved', { exact: true }).waitFor();
  await write(here, 'from here');
  await conflict.waitFor();
  await here.getByText('Show the saved version').click();
  await conflict.getByText('from there').waitFor();
  await look(here, 'conflict');
  expect(await here.getByLabel('Text').inputValue()).toBe('from here');
  await here.getByRole('button', { name: 'Keep mine' }).click();
  await here.getByRole('button', { name: 'Save' }).click();
  await here.getByText('Saved', { exact: true }).waitFor();

  await write(there, 'once more from there');
  await there.getByRole('button', { name: 'Use the saved version' }).click();
  expect(await there.getByLabel('Text').inputValue()).toBe('from here');
  expect(await conflict.count()).toBe(0);
});

it('changes the password, and deletes the account', async () => {
  const page = await open('/register');
  await register(page, 'account@example.com');
  await page.getByRole('link', { name: 'account@example.com' }).click();
  await page.getByLabel('Current password').fill('a wrong password');
  await page.getByLabel('New password').fill('another passphrase');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('This is not your password.').waitFor();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();
  await look(page, 'account');
  await page.getByLabel('Password', { exact: true }).fill('another passphrase');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('E-mail').fill('account@example.com');
  await page.getByLabel('Password').fill('another passphrase');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('E-mail or password is wrong.').waitFor();
});

it('shows no address of a note that does not exist as a fault of its fields', async () => {
  const page = await open('/register');
  await register(page, 'lost@example.com');
  await page.getByText('Nothing here yet').waitFor();
  await page.goto('/notes/nonsense');
  await page.getByText('There is no such note.').waitFor();
});

it('loads of its script what a page needs', async () => {
  const page = await browser.newPage({ baseURL: frontend.url });
  const loaded: string[] = [];
  page.on('response', (it) => void (it.url().endsWith('.js') && loaded.push(it.url())));
  await page.goto('/sign-in');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(loaded.some((it) => it.includes('/entry-page-'))).toBe(true);
  expect(loaded.filter((it) => /note-editor|account-page/.test(it))).toEqual([]);
  const folder = 'frontend/dist/assets';
  for (const file of await readdir(folder)) expect((await stat(join(folder, file))).size, file).toBeLessThan(300_000);
});

it('logs requests, with the id that the backend logs, too', async () => {
  const page = await fetch(`${frontend.url}/sign-in?secret=1`);
  const answer = await fetch(`${frontend.url}/api/auth/me`);
  for (const [{ headers, status }, path] of [
    [page, '/sign-in'],
    [answer, '/api/auth/me'],
  ] as const) {
    const requestId = headers.get('x-request-id') ?? '';
    expect(requestId).toMatch(/^[\w-]{36}$/);
    expect(lines.filter((it) => it.requestId === requestId)).toMatchObject([{ method: 'GET', path, status }]);
  }
});

it('is ready while the backend is, and not while it drains', async () => {
  const ready = async (url: string) => {
    const response = await fetch(`${url}/health/ready`);
    return [response.status, await response.json(), response.headers.get('connection')];
  };
  const checks = (backend: boolean) => ({ checks: { backend } });
  expect(await ready(frontend.url)).toMatchObject([200, { ready: true, ...checks(true) }, 'keep-alive']);
  backend.readiness.state = 'draining';
  expect(await ready(frontend.url)).toMatchObject([503, { ready: false, ...checks(false) }, 'keep-alive']);
  backend.readiness.state = 'serving';
  const options = { config: testConfig(PREFIX), log: pino({ enabled: false }), backendUrl: backend.url, drainMs: 300 };
  const other = await startFrontend(options);
  const closed = other.close();
  expect(await ready(other.url)).toMatchObject([503, { ready: false, state: 'draining' }, 'close']);
  await closed;
});

it('tells a wrong configuration before it builds the pages', async () => {
  const built = async () => (await stat('frontend/dist/index.html')).mtimeMs;
  const before = await built();
  const child = spawn('npm', ['start'], { env: { ...process.env, JWT_SECRET: 'short', NODE_ENV: 'production' } });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, said]).toEqual([1, expect.stringContaining('- security.jwt.secret must have')]);
  expect(await built()).toBe(before);
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
