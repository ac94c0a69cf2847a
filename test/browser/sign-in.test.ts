// Signing in, and what the page says when that does not work.
import { beforeEach, describe, expect, it } from 'vitest';
import { browserTests } from '../support/chat-in-browser.ts';
import { startServiceProcess } from '../support/service-process.ts';
import {
  axeViolationsInBothThemes,
  completeSetupForm,
  EMAIL,
  eventually,
  openWebApp,
  PASSWORD,
  PATIENCE,
  type WebApp,
} from '../support/web-app.ts';

describe('sign in', PATIENCE, () => {
  const chat = browserTests();
  let app: WebApp;
  beforeEach(async () => {
    app = await openWebApp(chat.browser, chat.service);
    return () => app.close();
  });

  it('[web.sign-in.wrong] [web.forms] says clearly that the e-mail or the password is wrong', async () => {
    await app.open();
    await app.signIn({ email: 'nobody', password: 'not this one' });
    await app.page.getByText('Enter an e-mail address, such as name@example.com.').waitFor();
    await app.signIn({ email: EMAIL, password: 'not this one' });
    await app.page.getByText('The e-mail address or password is incorrect.').waitFor();
  });

  it('[web.setup] [web.axe] asks for the generated password after a reload of the page', async () => {
    const fresh = await startServiceProcess();
    const newcomer = await openWebApp(chat.browser, fresh);
    const generated = await fresh.credentials();
    await newcomer.open();
    await newcomer.signIn(generated);
    await newcomer.page.getByRole('heading', { name: 'Set up your account' }).waitFor();
    expect(await axeViolationsInBothThemes(newcomer.page)).toEqual([]);
    await newcomer.open('/');
    await newcomer.page.getByLabel('Generated password').fill('not this one');
    await completeSetupForm(newcomer.page);
    await newcomer.page.getByText('The generated password is incorrect.').waitFor();
    await newcomer.page.getByLabel('Generated password').fill(generated.password);
    await newcomer.page.getByRole('button', { name: 'Save and start' }).click();
    await newcomer.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    await newcomer.close();
    await fresh.remove();
  });

  it('[web.sign-in.next] returns to the requested address', async () => {
    await app.open('/threads/somewhere');
    await app.signIn({ email: EMAIL, password: PASSWORD });
    await eventually(() => new URL(app.page.url()).pathname).toBe('/threads/somewhere');
    await app.page.getByText('Chat not found').waitFor();
  });

  it('[web.sign-in.next] never leads to another site', async () => {
    await app.open('/login?next=//example.com/');
    await app.signIn({ email: EMAIL, password: PASSWORD });
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
    expect(app.page.url()).toBe(`${chat.service.url}/`);
  });

  it('[web.session-lost] returns to the sign-in screen when the session has ended', async () => {
    const signedIn = await openWebApp(chat.browser, chat.service, { storageState: chat.state });
    // Nothing is asked but what the person does.
    for (const path of ['/api/thread-changes', '/api/agents*'])
      await signedIn.page.route(path, (route) => route.abort());
    await signedIn.open('/threads/somewhere');
    await signedIn.page.getByText('Chat not found').waitFor();
    await signedIn.page.context().clearCookies({ name: 'access_token' });
    await signedIn.page.getByRole('link', { name: 'Start a new chat' }).click();
    await signedIn.send('hello');
    await signedIn.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signedIn.close();
  });

  it('[web.sign-in.unreachable] says that the service does not respond', async () => {
    await app.open();
    await app.page.context().setOffline(true);
    await app.signIn({ email: EMAIL, password: PASSWORD });
    await app.page.getByText('The service cannot be reached.').waitFor();
  });

  it('[web.register] creates an account and starts with it', async () => {
    await app.open();
    await app.page.getByRole('link', { name: 'Register' }).click();
    await app.page.getByLabel('E-mail').fill('noa@example.com');
    await app.page.getByLabel('Password').fill('password123');
    await app.page.getByRole('button', { name: 'Create account' }).click();
    await app.page.getByRole('alert').waitFor();
    await app.page.getByLabel('Password').fill(PASSWORD);
    await app.page.getByRole('button', { name: 'Create account' }).click();
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
  });

  it('[web.account] [web.account.keys] changes e-mail and password, and signs out', async () => {
    await app.open();
    await app.page.getByRole('link', { name: 'Register' }).click();
    await app.page.getByLabel('E-mail').fill('kim@example.com');
    await app.page.getByLabel('Password').fill(PASSWORD);
    await app.page.getByRole('button', { name: 'Create account' }).click();

    await openAccountMenu(app, 'Change e-mail');
    await app.page.getByLabel('Current password').fill('not this one');
    await app.page.getByLabel('New e-mail').fill('kim@example.org');
    await app.page.getByRole('button', { name: 'Save' }).click();
    await app.page.getByText('The current password is incorrect.').waitFor();
    await app.page.getByLabel('Current password').fill(PASSWORD);
    await app.page.getByRole('button', { name: 'Save' }).click();
    await app.page.getByText('E-mail address changed.').waitFor();
    await app.page.keyboard.press('Escape');

    const keyed = await makeKey(app);
    expect(await keyed()).toBe(200);
    await openAccountMenu(app, 'Change password');
    await app.page.getByLabel('Current password').fill(PASSWORD);
    await app.page.getByLabel('New password').fill('another long passphrase');
    await app.page.getByLabel('Also revoke all my API keys').check();
    await app.page.getByRole('button', { name: 'Save' }).click();
    await app.page.getByText('Password changed.').waitFor();
    expect(await keyed()).toBe(401);
    await app.page.keyboard.press('Escape');

    await openAccountMenu(app, 'Sign out');
    await app.signIn({ email: 'kim@example.org', password: 'another long passphrase' });
    await app.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
  });

  it('[web.sign-in.locked] says how long a lock lasts after too many failures', async () => {
    await app.open();
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answered = app.page.waitForResponse(/login\/local/);
      await app.signIn({ email: EMAIL, password: `wrong ${attempt}` });
      if ((await answered).status() === 429) break;
    }
    await app.page.getByText(/Too many failed attempts\. Try again in \d:\d\d minutes\./).waitFor();
    await eventually(() => app.page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);
  });
});

async function openAccountMenu(app: WebApp, item: string): Promise<void> {
  await app.page.getByRole('button', { name: /^Account/ }).click();
  await app.page.getByRole('menuitem', { name: item }).click();
}

/** A key of the account, as a question whether it still opens the door. */
async function makeKey({ page }: WebApp): Promise<() => Promise<number>> {
  await page.goto('/settings/api-keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('a key');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByTestId('made-key').textContent();
  const me = new URL('/api/v1/auth/me', page.url());
  await page.keyboard.press('Escape');
  return async () => (await fetch(me, { headers: { authorization: `Bearer ${key}` } })).status;
}
