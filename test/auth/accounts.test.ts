// Registration, password rules, changing password and e-mail, first-time setup, signing out.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const ANN = { email: 'ann@example.com', password: GOOD_PASSWORD };
const NEW_PASSWORD = 'another good password';
const BLOCKLIST =
  'password password1 password12 password123 password1234 12345678 123456789 1234567890 qwerty12 qwertyui qwerty123 abc12345 abcd1234 iloveyou letmein1 welcome1 welcome123 admin123 administrator passw0rd p@ssw0rd monkey12 trustno1 sunshine princess football baseball superman batman123 starwars dragon123 master123 shadow12 michael1 jennifer computer'.split(
    ' ',
  );

interface Account {
  readonly id: string;
  readonly email: string;
  readonly system_role: string;
  readonly needs_setup: boolean;
}

let service: TestApp;
let ann: HttpClient;
beforeEach(async () => {
  service = await openTestApp();
  ann = service.client();
  expect((await ann.register(ANN)).status).toBe(201);
});
afterEach(() => service.close());

async function me(client: HttpClient): Promise<Account> {
  return await bodyOf<Account>(await client.get('/api/v1/auth/me'));
}

async function codeOf(answer: Response): Promise<string> {
  return (await detailOf<{ code: string }>(answer)).code;
}

describe('register', () => {
  it('[auth.register] returns the account and signs it in', async () => {
    const client = service.client();
    const answer = await client.register({ email: 'Bob@Example.com', password: GOOD_PASSWORD });
    expect(answer.status).toBe(201);
    const account = await bodyOf<Account>(answer);
    expect(account).toMatchObject({ email: 'Bob@Example.com', system_role: 'user', needs_setup: false });
    expect(account.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await me(client)).toEqual(account);
  });

  it('[auth.register.duplicate] an e-mail that exists is refused in any case', async () => {
    for (const email of ['ann@example.com', 'ANN@Example.COM']) {
      const answer = await service.client().register({ email, password: GOOD_PASSWORD });
      expect(answer.status).toBe(400);
      expect(await codeOf(answer)).toBe('email_already_exists');
    }
    expect((await service.client().signIn({ ...ANN, email: 'ANN@example.com' })).status).toBe(200);
  });

  it('[auth.register.role] the role in the body is ignored', async () => {
    const answer = await service.client().post('/api/v1/auth/register', {
      ...ANN,
      email: 'eve@example.com',
      system_role: 'admin',
      needs_setup: true,
      token_version: 7,
      id: 'chosen',
    });
    expect(await bodyOf(answer)).toMatchObject({ system_role: 'user', needs_setup: false });
  });

  it('[auth.register.closed] closed registration is 403', async () => {
    await service.close();
    service = await openTestApp({ auth: { registration: false } });
    const answer = await service.client().register(ANN);
    expect(answer.status).toBe(403);
    expect(await codeOf(answer)).toBe('registration_disabled');
    const status = await service.client().get('/api/v1/auth/setup-status');
    expect(await bodyOf(status)).toMatchObject({ registration_enabled: false });
  });

  it.each([
    '',
    'ann',
    'ann@',
    '@example.com',
    'ann@example.com\nbcc: eve',
    `${'a'.repeat(250)}@example.com`,
    7,
    null,
  ])('refuses the e-mail %j', async (email) => {
    const answer = await service.client().post('/api/v1/auth/register', { email, password: GOOD_PASSWORD });
    expect(answer.status).toBe(422);
  });
});

describe('password rules', () => {
  const register = (password: string) =>
    service.client().register({ email: `p${Math.random()}@example.com`, password });

  it('[auth.passwords.length] [hostile.S25] 8 to 1,024 characters, counted as people perceive them', async () => {
    const accepted = [
      'x'.repeat(8),
      'x'.repeat(1024),
      '🦊'.repeat(8),
      '🦊'.repeat(1024),
      'with\u0000nul inside',
    ];
    for (const password of accepted) expect((await register(password)).status).toBe(201);
    const refused = ['', 'x'.repeat(7), '🦊'.repeat(7), 'x'.repeat(1025), 'x'.repeat(1_000_000)];
    for (const password of refused) {
      const answer = await register(password);
      expect(answer.status).toBe(422);
      const [issue] = await detailOf<{ loc: string[]; msg: string }[]>(answer);
      expect(issue?.loc).toEqual(['body', 'password']);
    }
  });

  it('[auth.passwords.length] [hostile.S25] every character counts up to the last', async () => {
    const long = 'x'.repeat(1023);
    await service.client().register({ email: 'long@example.com', password: `${long}a` });
    const signIn = (password: string) => service.client().signIn({ email: 'long@example.com', password });
    expect((await signIn(`${long}b`)).status).toBe(401);
    expect((await signIn(`${long}a`)).status).toBe(200);
  });

  it('[auth.passwords.blocklist] [hostile.S25] the 36 common passwords are refused in any case', async () => {
    expect(BLOCKLIST).toHaveLength(36);
    for (const password of BLOCKLIST) {
      for (const form of [password, password.toUpperCase()]) {
        const answer = await register(form);
        expect([form, answer.status]).toEqual([form, 422]);
        expect(await answer.text()).toContain('too common');
      }
    }
    expect((await register('ｐａｓｓｗｏｒｄ１２３')).status).toBe(422);
  });

  it('[auth.passwords.blocklist] common passwords are also refused when the password is changed', async () => {
    const answer = await ann.post('/api/v1/auth/change-password', {
      current_password: ANN.password,
      new_password: 'Sunshine',
    });
    expect(answer.status).toBe(422);
  });

  it('[auth.passwords.nfkc] [hostile.S25] forms of the same text are the same password', async () => {
    await service.client().register({ email: 'nfkc@example.com', password: 'caf\u00e9 \ufb01ne wine' });
    const signIn = (password: string) => service.client().signIn({ email: 'nfkc@example.com', password });
    expect((await signIn('cafe\u0301 fine wine')).status).toBe(200);
    expect((await signIn('cafe fine wine')).status).toBe(401);
  });

  it('[auth.passwords.argon2id] the stored hash is argon2id and not the password', async () => {
    const user = await service.storage.users.findByEmail(ANN.email);
    expect(user?.passwordHash).toMatch(/^\$argon2id\$/);
    expect(user?.passwordHash).not.toContain(ANN.password);
  });
});

describe('change password', () => {
  const change = (client: HttpClient, fields: object = {}) =>
    client.post('/api/v1/auth/change-password', {
      current_password: ANN.password,
      new_password: NEW_PASSWORD,
      ...fields,
    });

  it('[auth.change-password] ends every other session and keeps this one', async () => {
    const other = service.client();
    await other.signIn(ANN);
    const stolen = service.client();
    for (const [name, value] of ann.cookies) stolen.cookies.set(name, value);

    const answer = await change(ann);
    expect(answer.status).toBe(200);
    expect(await bodyOf(answer)).toEqual({ message: 'Password changed' });
    expect((await ann.get('/api/v1/auth/me')).status).toBe(200);
    for (const ended of [other, stolen]) {
      const refused = await ended.get('/api/v1/auth/me');
      expect([refused.status, await codeOf(refused)]).toEqual([401, 'token_invalid']);
    }
    expect((await service.client().signIn(ANN)).status).toBe(401);
    expect((await service.client().signIn({ ...ANN, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('[auth.change-password.wrong] a wrong current password changes nothing', async () => {
    const answer = await change(ann, { current_password: 'not the password' });
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'invalid_credentials']);
    expect((await service.client().signIn(ANN)).status).toBe(200);
    expect((await ann.get('/api/v1/auth/me')).status).toBe(200);
  });

  it('[auth.change-password] a new e-mail of another account changes nothing', async () => {
    await service.client().register({ ...ANN, email: 'bob@example.com' });
    const answer = await change(ann, { new_email: 'BOB@example.com' });
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'email_already_exists']);
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });

  it('[auth.change-password] a new e-mail may be the current one', async () => {
    expect((await change(ann, { new_email: ANN.email })).status).toBe(200);
  });

  it('[auth.change-password.race] of concurrent changes exactly one wins', async () => {
    const passwords = ['first new password', 'second new password', 'third new password'];
    // The sender is authenticated before the body is read, so each still has its session at the first change.
    const allAreKnown = Promise.withResolvers<void>();
    let known = 0;
    const heldBack = (json: object) =>
      new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            known += 1;
            if (known === passwords.length) allAreKnown.resolve();
            await allAreKnown.promise;
            controller.enqueue(Buffer.from(JSON.stringify(json)));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    const answers = await Promise.all(
      passwords.map((it) =>
        ann.send('POST', '/api/v1/auth/change-password', {
          body: heldBack({ current_password: ANN.password, new_password: it }),
          headers: { 'content-type': 'application/json' },
        }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
    const works = await Promise.all(
      passwords.map(async (password) => (await service.client().signIn({ ...ANN, password })).status),
    );
    expect(works).toEqual(answers.map((answer) => (answer.status === 200 ? 200 : 401)));
  });

  it('[auth.change-password.race] a change after the first one has no session any more', async () => {
    const cookies = new Map(ann.cookies);
    expect((await change(ann)).status).toBe(200);
    const late = service.client();
    for (const [name, value] of cookies) late.cookies.set(name, value);
    expect((await change(late, { new_password: 'second new password' })).status).toBe(401);
    expect((await service.client().signIn({ ...ANN, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('[auth.session.missing] needs a session', async () => {
    expect((await change(service.client())).status).toBe(401);
  });
});

describe('change e-mail', () => {
  const change = (fields: object = {}) =>
    ann.post('/api/v1/auth/change-email', {
      current_password: ANN.password,
      new_email: 'new@example.com',
      ...fields,
    });

  it('[auth.change-email] ends every other session and keeps this one', async () => {
    const other = service.client();
    await other.signIn(ANN);
    expect((await change()).status).toBe(200);
    expect(await me(ann)).toMatchObject({ email: 'new@example.com' });
    expect((await other.get('/api/v1/auth/me')).status).toBe(401);
    expect((await service.client().signIn({ ...ANN, email: 'new@example.com' })).status).toBe(200);
    expect((await service.client().signIn(ANN)).status).toBe(401);
  });

  it('[auth.change-email] needs the current password and a free e-mail', async () => {
    const wrong = await change({ current_password: 'not the password' });
    expect([wrong.status, await codeOf(wrong)]).toEqual([400, 'invalid_credentials']);
    await service.client().register({ ...ANN, email: 'bob@example.com' });
    const taken = await change({ new_email: 'bob@example.com' });
    expect([taken.status, await codeOf(taken)]).toEqual([400, 'email_already_exists']);
    expect((await change({ new_email: 'nowhere' })).status).toBe(422);
    expect(await me(ann)).toMatchObject({ email: ANN.email });
  });
});

describe('other routes', () => {
  it('[auth.me] returns the account without the hash', async () => {
    const text = await (await ann.get('/api/v1/auth/me')).text();
    expect(JSON.parse(text)).toMatchObject({ email: ANN.email, system_role: 'user', needs_setup: false });
    expect(text).not.toMatch(/argon2|hash|version/);
  });

  it('[auth.logout] clears both cookies', async () => {
    const answer = await ann.post('/api/v1/auth/logout');
    expect(answer.status).toBe(200);
    expect(await bodyOf(answer)).toEqual({ message: 'Signed out' });
    expect(ann.cookies.size).toBe(0);
    expect((await ann.get('/api/v1/auth/me')).status).toBe(401);
  });

  it('[auth.logout] works without a session', async () => {
    const client = service.client();
    client.cookies.set('access_token', 'nonsense');
    expect((await client.post('/api/v1/auth/logout')).status).toBe(200);
    expect((await service.client().post('/api/v1/auth/logout')).status).toBe(200);
  });

  it('[auth.initialize] [hostile.S23] makes the first administrator once', async () => {
    const root = { email: 'root@example.com', password: GOOD_PASSWORD };
    const clients = [service.client(), service.client(), service.client()];
    const answers = await Promise.all(
      clients.map((client, index) =>
        client.post('/api/v1/auth/initialize', { ...root, email: `${index}${root.email}` }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
    const winner = answers.findIndex((answer) => answer.status === 201);
    expect(await me(clients[winner] ?? ann)).toMatchObject({ system_role: 'admin', needs_setup: false });
    const again = await service.client().post('/api/v1/auth/initialize', root);
    expect([again.status, await codeOf(again)]).toEqual([409, 'system_already_initialized']);
  });

  it("[auth.initialize] does not take an existing user's e-mail", async () => {
    const answer = await service.client().post('/api/v1/auth/initialize', { ...ANN, password: NEW_PASSWORD });
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'email_already_exists']);
  });

  it('[auth.setup-status] reports whether an administrator is missing, and the ways to sign in', async () => {
    const status = async () => bodyOf(await service.client().get('/api/v1/auth/setup-status'));
    expect(await status()).toEqual({ needs_setup: true, registration_enabled: true });
    await service.auth.bootstrap();
    await service.client().post('/api/v1/auth/initialize', { ...ANN, email: 'root@example.com' });
    expect(await status()).toEqual({ needs_setup: false, registration_enabled: true });
    const providers = await bodyOf<{ providers: unknown[] }>(
      await service.client().get('/api/v1/auth/providers'),
    );
    expect(providers.providers).toEqual([
      { id: 'local', type: 'password', display_name: 'E-mail and password' },
    ]);
  });
});
