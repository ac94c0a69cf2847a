// The attributes of the two cookies.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
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

/** Returns `['access_token', 'httponly', 'path=/' ...]`, without the value. */
function attributes(line: string): string[] {
  const [pair = '', ...rest] = line.split('; ');
  return [pair.split('=')[0] ?? '', ...rest.map((attribute) => attribute.toLowerCase()).sort()];
}

it('[auth.cookies] [hostile.S16] access_token is HttpOnly and Lax, csrf_token readable and Strict', async () => {
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

it('[auth.cookies.secure] they are Secure over https, and on the word of a trusted proxy only', async () => {
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
  // Some proxies report the scheme of a socket this way.
  expect((await cookiesOfSignIn({ headers: { 'x-forwarded-proto': 'wss' } })).access).toContain('secure');
  expect((await cookiesOfSignIn({ headers: { 'x-forwarded-proto': 'http' } })).access).not.toContain(
    'secure',
  );
});

it('[auth.cookies.host] when the proxy is no longer trusted, the browser drops the earlier cookies', async () => {
  service = await openTestApp();
  await service.client().register(ANN);
  const form = new URLSearchParams({ username: ANN.email, password: ANN.password });
  const headers = { cookie: '__Host-access_token=old; __Host-csrf_token=old' };
  const answer = await service.client().send('POST', '/api/v1/auth/login/local', { body: form, headers });
  const gone = answer.headers.getSetCookie().filter((line) => line.startsWith('__Host-'));
  expect(gone.map(attributes)).toEqual([
    ['__Host-access_token', 'max-age=0', 'path=/', 'secure'],
    ['__Host-csrf_token', 'max-age=0', 'path=/', 'secure'],
  ]);
});

it('a new session never reuses a CSRF token', async () => {
  service = await openTestApp();
  const client = service.client();
  await client.register(ANN);
  const first = client.cookies.get('csrf_token');
  await client.signIn(ANN);
  expect(client.cookies.get('csrf_token')).not.toBe(first);
});

describe('over https', () => {
  const ORIGIN = 'https://chat.example.com';
  beforeEach(async () => {
    service = await openTestApp({ http: { allowed_hosts: ['chat.example.com'] } });
    await service.client().register(ANN);
  });

  const at = (path: string) => `${ORIGIN}/api/v1/auth/${path}`;

  async function signedIn() {
    const client = service.client();
    const body = new URLSearchParams({ username: ANN.email, password: ANN.password });
    const answer = await client.send('POST', at('login/local'), { body });
    expect(answer.status).toBe(200);
    return { client, lines: answer.headers.getSetCookie() };
  }

  it('[auth.cookies.host] [hostile.S16] they get the prefix __Host-, and csrf_token stays for programs', async () => {
    const { client, lines } = await signedIn();
    expect(lines.map(attributes)).toEqual([
      ['__Host-access_token', 'httponly', 'path=/', 'samesite=lax', 'secure'],
      ['__Host-csrf_token', 'path=/', 'samesite=strict', 'secure'],
      ['csrf_token', 'path=/', 'samesite=strict', 'secure'],
    ]);
    expect(client.cookies.get('csrf_token')).toBe(client.cookies.get('__Host-csrf_token'));
    expect((await client.get(at('me'))).status).toBe(200);
    expect((await client.send('DELETE', at('sessions'))).status).toBe(200);
  });

  it('[http.openapi] the document names the cookie of the service, over https and http', async () => {
    interface Document {
      security: Record<string, unknown>[];
      components: { securitySchemes: Record<string, { in?: string; name?: string }> };
      paths: Record<string, { get?: { security?: Record<string, unknown>[] } }>;
    }
    const { security, components, paths } = await jsonOf<Document>(
      service.client().get(`${ORIGIN}/openapi.json`),
    );
    const cookies = (asked: Record<string, unknown>[] = []) =>
      asked
        .flatMap((it) => Object.keys(it).map((name) => components.securitySchemes[name]))
        .filter((scheme) => scheme?.in === 'cookie')
        .map((scheme) => scheme?.name);
    expect(cookies(security)).toEqual(['access_token', '__Host-access_token']);
    expect(cookies(paths['/api/v1/auth/sessions']?.get?.security)).toEqual(cookies(security));
  });

  it('[auth.cookies.host] [hostile.S15] cookies without the prefix are ignored, since a neighboring site could have set them', async () => {
    const { client } = await signedIn();
    const mallory = service.client();
    await mallory.register({ ...ANN, email: 'mallory@example.com' });
    const [token = '', csrf = ''] = ['access_token', 'csrf_token'].map((name) => mallory.cookies.get(name));
    // Alone they are no session, and beside the right ones they change nothing.
    expect((await mallory.get(at('me'))).status).toBe(401);
    client.cookies.set('access_token', token);
    client.cookies.set('csrf_token', csrf);
    const me = await client.get(at('me'));
    expect(await me.json()).toMatchObject({ email: ANN.email });
    const headers = { 'x-csrf-token': csrf };
    expect((await client.send('DELETE', at('sessions'), { headers })).status).toBe(403);
  });

  it('[auth.cookies.host] [hostile.S16] signing out clears them under every name', async () => {
    const { client } = await signedIn();
    client.cookies.set('access_token', 'from before');
    expect((await client.send('POST', at('logout'))).status).toBe(200);
    expect([...client.cookies.keys()]).toEqual([]);
  });
});
