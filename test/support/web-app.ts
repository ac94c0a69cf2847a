// The web app as a person uses it: sign in, write, read the reply.
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { holdPage } from './hold-page.ts';
import { createHttpClient } from './http-client.ts';
import type { ServiceProcess } from './service-process.ts';

export const EMAIL = 'eva@example.com';
export const PASSWORD = 'a long enough passphrase';

const APPEARS_MS = 60_000;
const POLL = { timeout: 60_000, interval: 50 };

/** For tests that share two cores with a browser, a service and a build. */
export const PATIENCE = { timeout: 240_000 } as const;

/** Returns an `expect.poll` with the patience that a busy machine needs. */
export function eventually<T>(read: () => T) {
  return expect.poll(read, POLL);
}

export type StorageState = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>;

export type WindowOptions = Omit<BrowserContextOptions, 'storageState'> & {
  readonly storageState?: StorageState;
};

export interface WebApp {
  readonly page: Page;
  /**
   * Complaints of the browser: script errors, violations of the security policy, and responses that violate
   * the API's document.
   */
  readonly complaints: readonly string[];
  open(path?: string): Promise<void>;
  signIn(account: { readonly email: string; readonly password: string }): Promise<void>;
  /** Writes a message once the last reply is complete, and sends it with Enter. */
  send(text: string): Promise<void>;
  /** Resolves when no reply is being written. */
  untilIdle(): Promise<void>;
  /** Resolves when the newest reply matches. */
  untilAnswer(pattern: RegExp): Promise<void>;
  answer(): Promise<string>;
  /**
   * Does `act`, after which the app reads the open conversation again; resolves when the new view is ready.
   * Input in the old view is lost.
   */
  openedAnew(act: () => Promise<void>): Promise<void>;
  /** Runs the script before those of each page that is opened from now on. No other test uses the window then. */
  runFirst(script: string): Promise<void>;
  close(): Promise<void>;
  /**
   * Makes a window of the usual kind as good as new, on an empty page. Rejects or resolves with false where
   * that is impossible.
   */
  renew(): Promise<boolean>;
}

export async function openWebApp(
  browser: Browser,
  service: Pick<ServiceProcess, 'url'>,
  options: WindowOptions = {},
): Promise<WebApp> {
  const context = await browser.newContext({ baseURL: service.url, viewport: VIEWPORT, ...options });
  context.setDefaultTimeout(APPEARS_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  watchComplaints(page, complaints);
  let isSpent = false;
  const answers = page.locator('[data-role="assistant"]');
  const app: WebApp = {
    page,
    complaints,
    async open(path = '/') {
      await page.goto(path);
      await page.locator('main').waitFor({ timeout: APPEARS_MS });
    },
    async signIn({ email, password }) {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: APPEARS_MS });
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    async send(text) {
      await app.untilIdle();
      await messageBox(page).fill(text);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    },
    untilIdle: () => page.getByRole('button', { name: 'Send', exact: true }).waitFor(),
    untilAnswer: (pattern) => vi.waitFor(async () => expect(await app.answer()).toMatch(pattern), POLL),
    answer: async () => (await answers.last().textContent()) ?? '',
    async openedAnew(act) {
      const before = await page.getByRole('region', { name: 'Conversation' }).elementHandle();
      await act();
      await before?.waitForElementState('hidden');
    },
    async runFirst(script) {
      isSpent = true;
      await page.addInitScript(script);
    },
    close: () => context.close(),
    async renew() {
      if (isSpent || page.isClosed()) return false;
      page.removeAllListeners();
      watchComplaints(page, complaints);
      await Promise.all(context.pages().map((it) => (it === page ? undefined : it.close())));
      await Promise.all([context.setOffline(false), context.clearPermissions(), context.unrouteAll(LEFT)]);
      await page.unrouteAll(LEFT);
      // What the app writes when it is left is in the storage by then.
      await page.goto('/favicon.svg');
      await page.evaluate('localStorage.clear(); sessionStorage.clear()');
      await context.clearCookies();
      await context.addCookies([...(options.storageState?.cookies ?? [])]);
      await page.setViewportSize(VIEWPORT);
      await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
      await page.mouse.move(0, 0);
      complaints.length = 0;
      return true;
    },
  };
  return app;
}

const VIEWPORT = { width: 1280, height: 800 } as const;
/** For responses that a test still holds back. */
const LEFT = { behavior: 'ignoreErrors' } as const;

/**
 * Completes the account of the generated administrator, and returns the state with which a browser is signed
 * in. Does so without a browser, because the pages for that have their own tests and take seconds.
 */
export async function setUpAccount(service: ServiceProcess): Promise<StorageState> {
  const client = createHttpClient({ request: (path, init) => fetch(`${service.url}${path}`, init) });
  const generated = await service.credentials();
  const signedIn = await client.signIn(generated);
  if (signedIn.status !== 200) throw new Error(`Signing in failed: ${await signedIn.text()}`);
  const answer = await client.post('/api/v1/auth/change-password', {
    current_password: generated.password,
    new_password: PASSWORD,
    new_email: EMAIL,
  });
  if (answer.status !== 200) throw new Error(`The account was not set up: ${await answer.text()}`);
  const { hostname: domain } = new URL(service.url);
  const value = (name: string) => client.cookies.get(name) ?? '';
  const shared = { domain, path: '/', expires: -1, secure: false };
  const token = {
    name: 'access_token',
    value: value('access_token'),
    httpOnly: true,
    sameSite: 'Lax',
  } as const;
  const csrf = {
    name: 'csrf_token',
    value: value('csrf_token'),
    httpOnly: false,
    sameSite: 'Strict',
  } as const;
  return { cookies: [token, csrf].map((cookie) => ({ ...shared, ...cookie })), origins: [] };
}

export async function completeSetup(page: Page): Promise<void> {
  await completeSetupForm(page);
  await page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
}

export async function completeSetupForm(page: Page): Promise<void> {
  await page.getByLabel('Your e-mail').fill(EMAIL);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and start' }).click();
}

export function messageBox(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message', exact: true });
}

/** Chooses the model for the next messages of the chat. */
export async function chooseModel({ page }: WebApp, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Model:/ }).click();
  await page.getByRole('menuitemradio', { name }).click();
}

export function threadList(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Chats' });
}

const violationsSchema = z.object({
  violations: z.array(
    z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});

/** Returns the violations that axe finds on the current page, one line each. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // Colours during a transition are not final, and a transition may begin two frames after its cause.
  await page.evaluate(`(async () => {
    const running = () => document.getAnimations().filter((it) =>
      it.playState === 'running' && it.effect.getComputedTiming().endTime !== Infinity);
    for (let still = 0; still < 3; still = running().length === 0 ? still + 1 : 0) {
      await Promise.all(running().map((it) => it.finished.catch(() => {})));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  })()`);
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe.source);
  // Passed checks are not collected, which halves the time.
  const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  const { violations } = violationsSchema.parse(found);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((it) => it.html).join(' ')}`);
}

/** Checks in the light and in the dark theme; the page stays dark. */
export async function axeViolationsInBothThemes(page: Page): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    violations.push(...(await axeViolations(page)).map((it) => `${colorScheme}: ${it}`));
  }
  return violations;
}

function watchComplaints(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) complaints.push(message.text());
  });
  holdPage(page, (text) => void complaints.push(text));
}
