// CSRF protection and the paths that need no session.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let ann: HttpClient;
beforeEach(async () => {
  const http = { cors_origins: ['https://friend.example.com'], allowed_hosts: ['chat.example.com'] };
  service = await openTestApp({ http });
  ann = await service.user();
});
afterEach(() => service.close());

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE', 'FROB'];

describe('double submit', () => {
  it.each(WRITES)('[auth.csrf.missing] %s without cookie or header is refused', async (method) => {
    const noHeader = await ann.send(method, '/api/threads/x', { headers: { 'x-csrf-token': '' } });
    expect([noHeader.status, await detailOf(noHeader)]).toEqual([403, 'CSRF token missing']);
    const token = ann.cookies.get('csrf_token') ?? '';
    ann.cookies.delete('csrf_token');
    const noCookie = await ann.send(method, '/api/threads/x', { headers: { 'x-csrf-token': token } });
    expect([noCookie.status, await detailOf(noCookie)]).toEqual([403, 'CSRF token missing']);
  });

  it('[auth.csrf.mismatch] another token is refused, and nothing was changed', async () => {
    const bob = await service.user();
    for (const token of ['wrong', bob.cookies.get('csrf_token') ?? '', `${ann.cookies.get('csrf_token')}x`]) {
      const answer = await ann.post('/api/threads', { thread_id: 't' }, { 'x-csrf-token': token });
      expect([answer.status, await detailOf(answer)]).toEqual([403, 'CSRF token mismatch']);
    }
    expect((await ann.get('/api/threads/t')).status).toBe(404);
    expect((await ann.post('/api/threads', { thread_id: 't' })).status).toBe(200);
  });

  it('[auth.csrf.order] an anonymous write is a 401 first', async () => {
    for (const method of WRITES)
      expect((await service.client().send(method, '/api/threads/x')).status).toBe(401);
  });

  it('reading needs no token', async () => {
    ann.cookies.delete('csrf_token');
    expect((await ann.get('/api/v1/auth/me')).status).toBe(200);
  });
});

describe('sign-in routes', () => {
  const register = (headers: Record<string, string>) =>
    service
      .client()
      .post(
        '/api/v1/auth/register',
        { email: `${Math.random()}@example.com`, password: GOOD_PASSWORD },
        headers,
      );

  it('[auth.csrf.exempt] they work without a token, also while signed in', async () => {
    ann.cookies.delete('csrf_token');
    expect((await ann.signIn({ email: 'user1@example.com', password: GOOD_PASSWORD })).status).toBe(200);
    ann.cookies.delete('csrf_token');
    expect((await ann.post('/api/v1/auth/logout')).status).toBe(200);
  });

  it.each([
    { origin: 'https://evil.example.com' },
    { origin: 'http://localhost.evil.example.com' },
    { origin: 'null' },
    { origin: 'https://friend.example.com.evil.example.com' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' },
    { origin: 'http://localhost:8080' },
  ])('[auth.csrf.exempt] [hostile.S18] they refuse %j', async (headers) => {
    const paths = ['login/local', 'register', 'logout', 'initialize'];
    for (const path of paths) {
      const answer = await service.client().send('POST', `/api/v1/auth/${path}`, { headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(typeof (await detailOf(answer))).toBe('string');
    }
  });

  it.each([
    {},
    { origin: 'http://localhost' },
    { origin: 'https://friend.example.com' },
    { origin: 'http://chat.example.com:2026', host: 'chat.example.com:2026' },
    // A proxy that terminates TLS, and one that drops the port from the host.
    { origin: 'https://chat.example.com', host: 'chat.example.com' },
    { origin: 'http://chat.example.com:2026', host: 'chat.example.com', 'sec-fetch-site': 'same-origin' },
  ])('[auth.csrf.exempt] they accept %j', async (headers) => {
    expect((await register(headers)).status).toBe(201);
  });
});

describe('public paths', () => {
  it.each([
    '//health',
    '/health/',
    '/HEALTH',
    '/Health',
    '/%68ealth',
    '/health%2f',
    '/health;.css',
    '/health%00',
    '/docs/x',
    '/openapi.json/',
    '//login',
    '/threads/a/b',
    '/API/threads',
    '/api',
    '/api/v1/auth/providers/',
    '/api/v1/auth/login/local',
    '/.env',
    '/index.html',
  ])('[auth.public.exact] %s needs a session', async (path) => {
    const answer = await service.client().get(path);
    expect([answer.status, (await detailOf<{ code: string }>(answer)).code]).toEqual([
      401,
      'not_authenticated',
    ]);
  });

  it.each(['/health', '/health?x=1', '/health/ready', '/openapi.json', '/docs', '/api/v1/auth/providers'])(
    '[auth.public.exact] %s does not',
    async (path) => {
      expect((await service.client().get(path)).status).toBe(200);
    },
  );

  it('[auth.public.exact] a public path is public only for its own method', async () => {
    expect((await service.client().post('/health')).status).toBe(401);
    expect((await service.client().send('HEAD', '/health')).status).toBe(200);
  });

  it('[auth.public.unknown] an unknown path requires authentication first, then is 404', async () => {
    for (const path of ['/nowhere', '/api/nowhere', '/api/graph/nowhere']) {
      expect((await service.client().get(path)).status).toBe(401);
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await ann.send(method, path);
        expect([path, method, answer.status]).toEqual([path, method, 404]);
        expect(typeof (await bodyOf<{ detail: unknown }>(answer)).detail).toBe('string');
      }
    }
  });
});
