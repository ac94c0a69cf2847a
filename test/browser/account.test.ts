// The account as a person looks after it: takes everything along, brings it in again, ends it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { browserTests } from '../support/chat-in-browser.ts';
import {
  axeViolations,
  EMAIL,
  eventually,
  PASSWORD,
  PATIENCE,
  threadList,
  type WebApp,
} from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

describe('the account', PATIENCE, () => {
  const chat = browserTests('sandbox: {kind: virtual}\n');
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packages-'));
    const app = await chat.open();
    await app.send('Remember the lighthouse');
    await app.untilIdle();
  }, PATIENCE.timeout);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const look = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined)
      await page.screenshot({ path: `${SCREENSHOTS}/account-${name}.png`, fullPage: true });
    expect(await axeViolations(page)).toEqual([]);
  };
  const choose = (app: WebApp, file: string) =>
    app.page.locator('input[type=file][aria-label="Package to import"]').setInputFiles(file);
  const saved = async (app: WebApp, button: () => Promise<void>, name: string) => {
    const begun = app.page.waitForEvent('download');
    await button();
    const path = join(folder, name);
    const download = await begun;
    await download.saveAs(path);
    return { path, suggested: download.suggestedFilename() };
  };

  it('[web.export] [web.import] [web.import.left-out] exports everything, and imports it as a copy that opens', async () => {
    const app = await chat.open('/agents');
    const { page } = app;
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('tea-master');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('list', { name: 'Agents' }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await look(app, 'light');
    const everything = () => page.getByRole('button', { name: 'Export everything' }).press('Enter');
    const { path, suggested } = await saved(app, everything, 'account.zip');
    expect(suggested).toMatch(/^account-\d{4}-\d\d-\d\d\.zip$/);
    expect((await readFile(path)).subarray(0, 2).toString()).toBe('PK');
    await page.getByText('The export has started.').waitFor();
    await choose(app, path);
    await page
      .getByText('account.zip: 1 chat was imported. It was here already, so this is a copy.')
      .waitFor();
    await page.getByText('Agent tea-master: You have an agent of this name already.').waitFor();
    await look(app, 'imported');
    await eventually(() => threadList(page).getByRole('listitem').count()).toBe(2);
    await page.getByRole('link', { name: 'Open chat' }).click();
    await page.locator('[data-role="human"]', { hasText: 'Remember the lighthouse' }).waitFor();
    expect(app.complaints).toEqual([]);
  });

  it('[web.export.thread] exports one chat from its menu, by keyboard, and imports it by dropping', async () => {
    const app = await chat.open();
    const { page } = app;
    const more = page.getByRole('button', { name: /^More for/ }).first();
    const exported = async () => {
      await more.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Export chat' }).focus();
      await page.keyboard.press('Enter');
    };
    const { path, suggested } = await saved(app, exported, 'chat.zip');
    expect(suggested).toMatch(/^thread-.+\.zip$/);
    await app.open('/settings/account');
    await drop(app, await readFile(path));
    await page.getByText('dropped.zip: 1 chat was imported.').waitFor();
  });

  it('[web.import.refused] shows in a sentence why a file was refused, whatever the reason', async () => {
    const name = `${'a very long name '.repeat(8)}.zip`;
    const path = join(folder, name);
    await writeFile(path, 'no zip at all');
    const app = await chat.open('/settings/account', { ...PHONE, colorScheme: 'dark' });
    const { page } = app;
    await choose(app, path);
    await page
      .getByRole('alert')
      .getByText(': Nothing was imported: The file is not a zip file, or it is not complete.')
      .waitFor();
    expect(await isTooWide(app)).toBe(false);
    await look(app, 'refused-phone-dark');
    const refuse = async (status: number, body: string, sentence: string | RegExp) => {
      await page.route('**/api/account/import', (route) => route.fulfill({ status, body }));
      await choose(app, path);
      await page.getByRole('alert').getByText(sentence).waitFor();
      await page.unroute('**/api/account/import');
    };
    await refuse(413, '<html>', /larger than a proxy server allows/);
    await refuse(413, '{"detail": "The package is larger than 1 MB."}', /The package is larger than 1 MB/);
    await refuse(503, '{"detail": "The database is busy."}', /Nothing was imported: The database is busy/);
    await refuse(408, '', /did not arrive in the time/);
    await page.route('**/api/account/import', (route) => route.abort());
    await choose(app, path);
    await page
      .getByRole('alert')
      .getByText(/the connection was lost before/)
      .waitFor();
  });

  it('[web.import.progress] shows the progress of an import, on other pages too, and can be cancelled', async () => {
    const app = await chat.open('/settings/account');
    const { page } = app;
    const path = join(folder, 'slow.zip');
    await writeFile(path, Buffer.alloc(3_000_000));
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/account/import', async (route) => {
      await held;
      await route.abort();
    });
    await choose(app, path);
    await page.getByRole('progressbar', { name: 'Import' }).waitFor();
    await look(app, 'progress');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('No API keys yet.').waitFor();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('progressbar', { name: 'Import' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByRole('button', { name: 'Choose a zip file' }).waitFor();
    answer();
  });

  /** Another sign-in of the account; answers whether it still is one. */
  const signInElsewhere = async (device: string) => {
    const answer = await fetch(`${chat.service.url}/api/v1/auth/login/local`, {
      method: 'POST',
      body: new URLSearchParams({ username: EMAIL, password: PASSWORD }),
      headers: { 'user-agent': device },
    });
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    return async () => (await fetch(`${chat.service.url}/api/v1/auth/me`, { headers: { cookie } })).status;
  };

  it('[web.sessions] lists the sessions, and ends them one by one or all at once', async () => {
    const curl = await signInElsewhere('curl/8.5.0');
    const firefox = await signInElsewhere('Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0');
    const app = await chat.open('/settings/account', {
      ...PHONE,
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    const { page } = app;
    const list = page.getByRole('region', { name: 'Sessions' });
    await list.getByText('This device').waitFor();
    await list.getByText('Firefox on Linux').waitFor();
    expect(await isTooWide(app)).toBe(false);
    await look(app, 'sessions-phone-dark');
    const row = list.getByRole('button', { name: 'Sign out curl' });
    await row.press('Enter');
    await row.waitFor({ state: 'detached' });
    expect([await curl(), await firefox()]).toEqual([401, 200]);
    await list.getByRole('button', { name: 'Sign out everywhere else' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await look(app, 'sessions-others-phone-dark');
    await page.getByRole('button', { name: 'Sign out the others' }).press('Enter');
    // The dialog hides the list from assistive technology, and so from the next condition.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await list.getByText('Firefox on Linux').waitFor({ state: 'detached' });
    expect(await firefox()).toBe(401);
    await list.getByText('This device').waitFor();
    expect(app.complaints).toEqual([]);
  });

  it('[web.password-again] asks for the password if it was entered too long ago, and then continues', async () => {
    const app = await chat.open('/settings/account');
    const { page } = app;
    // The page has asked for the sessions itself: the next one to ask is the export.
    await page.getByText('This device').waitFor();
    // What the service says ten minutes later.
    const isOld = { password_confirmed_seconds: 0 };
    await page.route(
      '**/api/v1/auth/sessions',
      async (route) => {
        const response = await route.fetch();
        const { sessions } = z
          .object({ sessions: z.array(z.record(z.string(), z.unknown())) })
          .parse(await response.json());
        await route.fulfill({ response, json: { sessions: sessions.map((it) => ({ ...it, ...isOld })) } });
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Export everything' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('The password is incorrect.').waitFor();
    await look(app, 'password-again');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const enter = () => page.keyboard.press('Enter');
    const { suggested } = await saved(app, enter, 'again.zip');
    expect(suggested).toMatch(/^account-.*\.zip$/);
    await page.getByText('The export has started.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('[web.machine] an administrator sees what is missing to confine commands', async () => {
    const app = await chat.open('/settings/account', PHONE);
    const section = app.page.getByRole('region', { name: 'Command isolation' });
    await section.getByText('Commands run in the virtual shell, a plain process of this user.').waitFor();
    await section.getByText('Use sandbox.kind: auto, with bubblewrap installed.').waitFor();
    expect(await isTooWide(app)).toBe(false);
    await look(app, 'machine-phone');
  });

  it('[web.delete-account] shows why the last administrator cannot be deleted', async () => {
    const app = await chat.open('/settings/account', PHONE);
    await askToDelete(app, EMAIL);
    await app.page
      .getByRole('alert')
      .getByText(/last administrator/)
      .waitFor();
    expect(await isTooWide(app)).toBe(false);
    await look(app, 'last-administrator-phone');
  });

  it('[web.delete-account] [web.machine] deletes an account after its password and e-mail address are entered, and says so', async () => {
    const app = await chat.open('/register', {
      storageState: { cookies: [], origins: [] },
      colorScheme: 'dark',
    });
    const { page } = app;
    const email = `${'someone-with-a-very-long-name.'.repeat(2)}x@example.com`;
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await app.open('/settings/account');
    await page.getByRole('region', { name: 'Sign-in' }).getByText(email).waitFor();
    expect(await page.getByRole('region', { name: 'Command isolation' }).count()).toBe(0);
    await askToDelete(app, email, 'not the password');
    await page.getByText('The password is incorrect.').waitFor();
    await look(app, 'delete-dark');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('Current password').press('Enter');
    await page.getByText('Your account was deleted.').waitFor();
    await look(app, 'deleted-dark');
    await app.signIn({ email, password: PASSWORD });
    await page.getByText('The e-mail address or password is incorrect.').waitFor();
  });
});

/** Opens the dialog, and cannot go on before the address is typed. */
async function askToDelete({ page }: WebApp, email: string, password = PASSWORD): Promise<void> {
  // By keyboard: the sections above it grow when what they tell has come.
  await page.getByRole('button', { name: 'Delete account…' }).press('Enter');
  await page.getByLabel('Current password').fill(password);
  const confirm = page.getByRole('button', { name: 'Delete my account' });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel('Confirm your e-mail').fill(email.toUpperCase());
  await confirm.click();
}

function isTooWide({ page }: WebApp): Promise<unknown> {
  return page.evaluate(
    "[document.documentElement, document.querySelector('main')].some((it) => it.scrollWidth > it.clientWidth)",
  );
}

async function drop({ page }: WebApp, bytes: Buffer): Promise<void> {
  const text = JSON.stringify(bytes.toString('base64'));
  const transfer = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob(${text}), (it) => it.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], 'dropped.zip'));
    return transfer;
  })()`);
  await page.getByTestId('drop-package').dispatchEvent('drop', { dataTransfer: transfer });
}
