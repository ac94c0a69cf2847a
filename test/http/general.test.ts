// Rules for every response: error bodies, headers, CORS, request ids, health, documentation, query lists.
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ServiceError, unavailable } from '../../src/errors.ts';
import { queryInteger, queryList } from '../../src/http/api/query-list.ts';
import type { MountRoutes } from '../../src/http/api/route-table.ts';
import { bodyOf, detailOf } from '../support/http-client.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

let service: TestApp;
afterEach(() => service.close());

async function open(options: TestAppOptions = {}): Promise<TestApp> {
  service = await openTestApp(options);
  return service;
}

/** Mounts a route that throws this error. */
function throwing(error: unknown): MountRoutes {
  return (routes) =>
    routes.get('/api/broken', {
      operationId: 'test1',
      errors: [],
      summary: 'Throws',
      responses: {},
      handle: () => {
        throw error;
      },
    });
}

describe('errors', () => {
  it('[http.errors.unknown] an unknown failure is a generic 500 and one line in the log', async () => {
    await open({ app: { routes: [throwing(new Error('CANARY at /srv/app.ts'))] } });
    const client = await service.user();
    const answer = await client.get('/api/broken', { 'x-request-id': 'my-id' });
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe('{"detail":"Internal server error"}');
    const errors = service.lines.filter((line) => line.level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.fields).toMatchObject({ requestId: 'my-id', err: expect.any(Error) });
  });

  it('[http.errors.unavailable] persistence that does not respond is 503', async () => {
    await open({
      app: { routes: [throwing(unavailable('The database does not answer.', new Error('CANARY')))] },
    });
    const answer = await (await service.user()).get('/api/broken');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await detailOf(answer)).toBe('The database does not answer.');
  });

  it.each([
    ['invalid', 400],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['payload_too_large', 413],
    ['unsupported_media_type', 415],
    ['too_many_attempts', 429],
  ] as const)('[http.errors.text] %s is %i with a text', async (code, status) => {
    await open({ app: { routes: [throwing(new ServiceError(code, 'A sentence.'))] } });
    const answer = await (await service.user()).get('/api/broken');
    expect([answer.status, await detailOf(answer)]).toEqual([status, 'A sentence.']);
  });

  it.each([
    ['invalid_credentials', 401],
    ['registration_disabled', 403],
    ['system_already_initialized', 409],
    ['email_already_exists', 400],
  ] as const)('[http.errors.text] %s is %i with a code', async (code, status) => {
    await open({ app: { routes: [throwing(new ServiceError(code, 'A sentence.'))] } });
    const answer = await (await service.user()).get('/api/broken');
    expect([answer.status, await detailOf(answer)]).toEqual([status, { code, message: 'A sentence.' }]);
  });
});

describe('headers', () => {
  it('[hostile.S20] [http.headers] are in every response', async () => {
    await open();
    for (const path of ['/health', '/login', '/api/threads', '/nowhere', '/docs']) {
      const { headers } = await service.client().get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-dns-prefetch-control')).toBe('off');
      expect(headers.get('strict-transport-security')).toBeNull();
      expect(headers.get('cache-control')).toBe('no-store');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("img-src 'self' data: blob:");
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
    }
  });

  it('[http.headers.https] over https make browsers stay there, on the word of a trusted proxy only', async () => {
    const forwarded = { 'x-forwarded-proto': 'https' };
    const told = async () => {
      const { headers } = await service.client().get('/health', forwarded);
      return headers.get('strict-transport-security');
    };
    service = await openTestApp({ auth: { trusted_proxies: ['10.0.0.1'] } });
    expect(await told()).toBeNull();
    service.peer.address = '10.0.0.1';
    expect(await told()).toBe('max-age=31536000');
    for (const [hsts_seconds, header] of [
      [0, null],
      [300, 'max-age=300'],
    ] as const) {
      await service.close();
      service = await openTestApp({ auth: { trusted_proxies: ['10.0.0.1'] }, http: { hsts_seconds } });
      service.peer.address = '10.0.0.1';
      expect(await told()).toBe(header);
    }
  });

  it('[http.request-id] a well-formed request id comes back, another one is replaced', async () => {
    await open();
    const idOf = async (id: string) =>
      (await service.client().get('/health', { 'x-request-id': id })).headers.get('x-request-id');
    expect(await idOf('abc-123_X')).toBe('abc-123_X');
    for (const bad of ['', 'a b', 'x'.repeat(65), 'id"}']) expect(await idOf(bad)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('[http.request-id] the log shows neither query nor body nor cookie', async () => {
    await open();
    const client = await service.user();
    await client.post('/api/threads?token=CANARY-1', { metadata: { a: 'CANARY-2' } });
    await client.signIn({ email: 'user1@example.com', password: 'CANARY-3' });
    const log = JSON.stringify(service.lines);
    expect(log).toContain('"path":"/api/threads"');
    expect(log).not.toContain('CANARY');
    expect(log).not.toContain(client.cookies.get('access_token'));
  });
});

describe('CORS', () => {
  const ORIGIN = 'https://app.example.com';
  const preflight = { origin: ORIGIN, 'access-control-request-method': 'POST' };

  it('[http.cors.off] is off without origins', async () => {
    await open();
    expect((await service.client().send('OPTIONS', '/api/threads', { headers: preflight })).status).toBe(401);
    const { headers } = await service.client().get('/health', { origin: ORIGIN });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('[http.cors.exact] allows a configured origin, with credentials and the exposed headers', async () => {
    await open({ http: { cors_origins: [ORIGIN] } });
    const answer = await service.client().send('OPTIONS', '/api/threads', { headers: preflight });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': expect.stringContaining('X-CSRF-Token'),
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      vary: expect.stringContaining('Origin'),
    });
    const refused = await service.client().get('/api/threads', { origin: ORIGIN });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
    expect(refused.headers.get('access-control-expose-headers')).toBe(
      'Content-Location, Location, X-Pagination-Total, X-Pagination-Next, Mcp-Session-Id',
    );
  });

  it.each([
    'https://evil.example.com',
    'null',
    'https://app.example.com.evil.example.com',
    'https://app.example.com, https://evil.example.com',
    'https://user@app.example.com',
    'http://localhost',
    'http://localhost.evil.example.com',
    'https://evil-app.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com',
  ])('[hostile.S17] [http.cors.exact] the origin %s is not allowed', async (origin) => {
    await open({ http: { cors_origins: [ORIGIN] } });
    const answer = await service
      .client()
      .send('OPTIONS', '/api/threads', { headers: { ...preflight, origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const read = await service.client().get('/health', { origin });
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    expect(read.headers.get('vary')).toContain('Origin');
  });
});

describe('health', () => {
  it('[http.health] is 200 even if nothing else works', async () => {
    await open();
    await service.storage.close();
    const answer = await service.client().get('/health');
    expect([answer.status, await answer.text()]).toEqual([200, '{"status":"healthy"}']);
  });

  it('[http.health.ready] names the reasons', async () => {
    const reasons: string[] = [];
    await open({ app: { ready: async () => reasons } });
    const ready = await service.client().get('/health/ready');
    expect([ready.status, await ready.text()]).toEqual([200, '{"ready":true}']);
    reasons.push('The service is shutting down.');
    const draining = await service.client().get('/health/ready');
    expect([draining.status, await bodyOf(draining)]).toEqual([503, { ready: false, reasons }]);
  });
});

describe('documentation', () => {
  interface ApiDocument {
    readonly openapi: string;
    readonly paths: Record<string, Record<string, { requestBody?: unknown; responses: object }>>;
  }

  it('[http.openapi] lists every route with its body', async () => {
    await open();
    const document = await bodyOf<ApiDocument>(await service.client().get('/openapi.json'));
    expect(document.openapi).toMatch(/^3\.1/);
    const mounted = service.app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '*' && path !== '/*')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(new Set([...listed, 'get /openapi.json', 'get /docs'])).toEqual(new Set(mounted));
    expect(JSON.stringify(document.paths['/api/v1/auth/register'])).toContain('Credentials');
  });

  it('[http.openapi] the page needs no script and nothing from elsewhere', async () => {
    await open();
    const page = await (await service.client().get('/docs')).text();
    expect(page).toContain('/api/graph/threads/{thread_id}');
    expect(page).toContain('<link rel="icon" href="/favicon.svg"');
    expect(page).not.toMatch(/<script|https?:\/\/(?!json-schema)|src=|@import/);
  });

  it('[http.openapi] both can be switched off', async () => {
    await open({ http: { docs: false } });
    expect((await service.client().get('/openapi.json')).status).toBe(200);
    expect((await service.client().get('/docs')).status).toBe(401);
    await service.close();
    await open({ http: { openapi: false } });
    expect((await service.client().get('/openapi.json')).status).toBe(401);
    expect((await (await service.user()).get('/openapi.json')).status).toBe(404);
  });
});

describe('query parameters', () => {
  it('[http.query-lists] lists come repeated or as JSON; numbers are checked', async () => {
    const echo: MountRoutes = (routes) =>
      routes.get('/list', {
        operationId: 'test2',
        errors: [],
        summary: 'Echoes the query',
        query: z.object({ a: queryList().optional(), n: queryInteger({ min: 1, max: 10 }).optional() }),
        responses: {},
        handle: (c, { query }) => c.json(query),
      });
    await open({ app: { routes: [echo] } });
    const client = await service.user();
    const read = async (query: string) => bodyOf(await client.get(`/list?${query}`));
    expect(await read('')).toEqual({});
    expect(await read('a=x&a=y')).toEqual({ a: ['x', 'y'] });
    expect(await read('a=%5B%22x%22%2C%22y%22%5D')).toEqual({ a: ['x', 'y'] });
    expect(await read('a=x')).toEqual({ a: ['x'] });
    expect(await read('n=7&unknown=1')).toEqual({ n: 7 });
    for (const bad of ['n=0', 'n=11', 'n=1e0', 'n=', 'n=1.5', 'n=1&n=2', 'n=0x1', 'n=99999999999999999999']) {
      const answer = await client.get(`/list?${bad}`);
      expect([bad, answer.status]).toEqual([bad, 422]);
      expect((await detailOf<{ loc: string[] }[]>(answer))[0]?.loc).toEqual(['query', 'n']);
    }
  });
});
