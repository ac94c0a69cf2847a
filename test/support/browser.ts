// A real browser for tests: headless Chromium. A worker has one for all of its files; each window has its own
// profile.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The shell is Chromium without windows, and takes half the time of one that hides its windows. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// It ends with its worker.
const started: { browser?: Promise<Browser> } = {};

/** Returns the browser of this worker. Without one, rejects with a sentence that explains how to get it. */
export function openBrowser(): Promise<Browser> {
  started.browser ??= launch();
  return started.browser;
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
  // A browser that broke fails only the test that uses it.
  browser.once('disconnected', () => delete started.browser);
  return browser;
}

function chromiumPath(): string {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH;
  const folders = ['/usr/bin', ...PATH.split(delimiter)];
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (found !== undefined) return found;
  throw new Error(
    'The browser tests need Chromium. Install it (Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH to its program.',
  );
}
