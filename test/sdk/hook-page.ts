// The page of the hook in a real browser, served by the service itself.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';
import { expect } from 'vitest';
import type { ServedService } from '../websocket/served.ts';

const SOURCES = fileURLToPath(new URL('page', import.meta.url));
/** All at one moment; the page goes on meanwhile. */
const MESSAGES = `Array.from(document.querySelectorAll('li'), (item) =>
  item.dataset.type + ': ' + item.querySelector('p').textContent)`;
const POLL = { timeout: 60_000, interval: 25 };

export interface BuiltPage {
  /** The folder that a service serves. */
  readonly root: string;
  remove(): Promise<void>;
}

export async function buildHookPage(): Promise<BuiltPage> {
  const root = await mkdtemp(join(tmpdir(), 'hook-page-'));
  await build({
    root: SOURCES,
    base: '/',
    configFile: false,
    logLevel: 'error',
    build: { outDir: root, emptyOutDir: true, minify: false, modulePreload: false },
  });
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A browser window of one person, whose tabs share the session. */
export async function openWindow(browser: Browser, service: ServedService): Promise<BrowserContext> {
  const { cookies } = await service.user();
  const context = await browser.newContext({ baseURL: service.server.url });
  await context.addCookies(
    [...cookies].map(([name, value]) => ({ name, value, url: service.server.url, sameSite: 'Lax' as const })),
  );
  return context;
}

export interface Tab {
  readonly page: Page;
  /** What the page complained about. */
  readonly complaints: readonly string[];
  write(text: string): Promise<void>;
  press(name: string): Promise<void>;
  /** Writes and sends. */
  send(text: string): Promise<void>;
  /** Presses a button of the message at this place. */
  pressAt(index: number, name: string): Promise<void>;
  /** Resolves when the messages are exactly these, as `type: content`. */
  shows(messages: readonly string[]): Promise<void>;
  idle(): Promise<void>;
}

export async function openTab(window: BrowserContext, path = '/'): Promise<Tab> {
  const page = await window.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(path);
  await page.getByLabel('Text').waitFor();
  const items = page.locator('li');
  const messages = () => page.evaluate(MESSAGES);
  const tab: Tab = {
    page,
    complaints,
    write: (text) => page.getByLabel('Text').fill(text),
    press: (name) => page.getByRole('button', { name, exact: true }).click(),
    async send(text) {
      await tab.write(text);
      await tab.press('Send');
    },
    pressAt: (index, name) => items.nth(index).getByRole('button', { name, exact: true }).click(),
    shows: async (expected) => expect.poll(messages, POLL).toEqual(expected),
    idle: async () =>
      expect.poll(() => page.locator('main').getAttribute('data-loading'), POLL).toBe('false'),
  };
  return tab;
}
