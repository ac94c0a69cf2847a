// The attributes of the two cookies.
import { afterEach, expect, it } from 'vitest';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const ANN = { email: 'ann@example.com', password: GOOD_PASSWORD };

let service: TestApp;
afterEach(() => service.close());

async function cookiesOfSignIn(
  options: { url?: string; headers?: Record<string, string>; remember?: string } = {},
) {
  const form = new URLSearchParams({ username: ANN.email, password: ANN.password });
  if (options.remember !== undefined) form.set('remember_me', options.remember);
  const path = `${options.url ?? ''}/api/v1/auth/login/local`;
  const answer = await service.client().send('POST', path, { body: form, headers: options.headers ?? {} });
  expect(answer.status).toBe(200);
  const [access = '', csrf = ''] = answer.headers.getSetCookie();
  return { access: attributes(access), csrf: attributes(csrf) };
}

/** `['access_token', 'httponly', 'path=/' ...]`, without the value. */
function attributes(line: string): string[] {
  const [pair = '', ...rest] = line.split('; ');
  return [pair.split('=')[0] ?? '', ...rest.map((attribute) => attribute.toLowerCase()).sort()];
}

it('[auth.cookies] access_token is HttpOnly and Lax, csrf_token readable and Strict', async () => {
  service = await openTestApp();
  await service.client().register(ANN);
  expect(await cookiesOfSignIn()).toEqual({
    access: ['access_token', 'httponly', 'path=/', 'samesite=lax'],
    csrf: ['csrf_token', 'path=/', 'samesite=strict'],
  });
});

it('[auth.cookies.remember] with remember_me they live as long as the session', async () => {
  service = await openTestApp();
  await service.client().register(ANN);
  const { access, csrf } = await cookiesOfSignIn({ remember: 'true' });
  expect(access).toContain('max-age=604800');
  expect(csrf).toContain('max-age=604800');
  expect((await cookiesOfSignIn({ remember: 'false' })).access.join()).not.toContain('max-age');
});

it('[auth.cookies.secure] they are Secure by https, and by the word of a trusted proxy only', async () => {
  service = await openTestApp({
    auth: { trusted_proxies: ['10.0.0.1'] },
    http: { allowed_hosts: ['chat.example.com'] },
  });
  await service.client().register(ANN);
  const viaHttps = await cookiesOfSignIn({ url: 'https://chat.example.com' });
  expect(viaHttps.access).toContain('secure');
  expect(viaHttps.csrf).toContain('secure');
  const headers = { 'x-forwarded-proto': 'https' };
  expect((await cookiesOfSignIn({ headers })).access).not.toContain('secure');
  service.peer.address = '10.0.0.1';
  expect((await cookiesOfSignIn({ headers })).access).toContain('secure');
  expect((await cookiesOfSignIn({ headers: { 'x-forwarded-proto': 'http' } })).access).not.toContain(
    'secure',
  );
});

it('a new session never reuses a CSRF token', async () => {
  service = await openTestApp();
  const client = service.client();
  await client.register(ANN);
  const first = client.cookies.get('csrf_token');
  await client.signIn(ANN);
  expect(client.cookies.get('csrf_token')).not.toBe(first);
});
