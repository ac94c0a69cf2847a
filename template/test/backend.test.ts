// The backend as its clients see it: over HTTP.
import { SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBackend, PASSWORD, SECRET } from './support/open-backend.ts';

const DAY_MS = 86_400_000;
const ACCOUNT = { email: 'ada@example.com', password: PASSWORD };
let backend: Awaited<ReturnType<typeof openBackend>>;
let time: number;

beforeEach(async () => {
  time = Date.now();
  backend = await openBackend({}, () => time);
});
afterEach(() => backend.close());

async function reopen(environment: Record<string, string>) {
  await backend.close();
  backend = await openBackend(environment, () => time);
}

it('is healthy, and ready while it serves and its checks pass', async () => {
  expect(await backend.ask('GET /health')).toMatchObject({ status: 200, body: { status: 'healthy' } });
  const ready = () => backend.ask('GET /health/ready');
  expect(await ready()).toMatchObject({ status: 200, body: { ready: true, checks: { database: true } } });
  for (const state of ['starting', 'draining'] as const) {
    backend.readiness.state = state;
    expect(await ready()).toMatchObject({ status: 503, body: { ready: false, state } });
  }
  backend.readiness.state = 'serving';
  backend.readiness.register('queue', () => Promise.reject(new Error('down')));
  expect(await ready()).toMatchObject({ status: 503, body: { ready: false, checks: { queue: false } } });
});

it('registers, knows who is signed in, signs out and in again', async () => {
  const body = { ...ACCOUNT, email: ' Ada@Example.com ' };
  const registered = await backend.ask('POST /api/auth/register', { body });
  expect(registered).toMatchObject({ status: 201, body: { email: 'ada@example.com' } });
  const as = registered.headers.get('set-cookie') ?? '';
  expect(as).toMatch(/^session=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(await backend.ask('GET /api/auth/me', { as })).toMatchObject({ status: 200, body: registered.body });
  expect((await backend.ask('POST /api/auth/register', { body })).status).toBe(409);
  const left = await backend.ask('POST /api/auth/sign-out', { as });
  expect([left.status, left.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  expect(await backend.ask('POST /api/auth/sign-in', { body })).toMatchObject({ status: 200, body: registered.body });
});

it('refuses wrong passwords and unknown people alike, and soon altogether', async () => {
  await backend.register(ACCOUNT.email);
  const attempt = (email: string) =>
    backend.ask('POST /api/auth/sign-in', { body: { email, password: 'wrong password' } });
  const refusal = { status: 401, body: { error: 'E-mail or password is wrong.' } };
  expect(await attempt(ACCOUNT.email)).toMatchObject(refusal);
  for (let count = 3; count <= 10; count += 1) expect(await attempt('eve@example.com')).toMatchObject(refusal);
  const limited = await attempt(ACCOUNT.email);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
  time += 60_000;
  expect((await attempt(ACCOUNT.email)).status).toBe(401);
});

it('takes its own tokens only, as long as they last', async () => {
  const as = await backend.register(ACCOUNT.email);
  const { body: me } = await backend.ask('GET /api/auth/me', { as });
  const status = async (cookie: string) => (await backend.ask('GET /api/auth/me', { as: cookie })).status;
  const forged = async (secret: string, subject: string) => {
    const token = new SignJWT({ sub: subject, iss: 'app', exp: time + DAY_MS }).setProtectedHeader({ alg: 'HS256' });
    return `session=${await token.sign(new TextEncoder().encode(secret))}`;
  };
  expect(await status(await forged(SECRET, me.id))).toBe(200);
  expect(await status(await forged(`not ${SECRET}`, me.id))).toBe(401);
  expect(await status(await forged(SECRET, 'nobody'))).toBe(401);
  expect(await status('session=nonsense')).toBe(401);
  time += 7 * DAY_MS + 1_000;
  expect(await status(as)).toBe(401);
});

it('wants https outside of development', async () => {
  await reopen({ APP_ENVIRONMENT: 'production', APP_SECURITY_JWT_EXPIRES_IN: '1h' });
  const { headers } = await backend.ask('POST /api/auth/register', { body: ACCOUNT });
  expect(headers.get('set-cookie')).toMatch(/^__Host-session=.+Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite/);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
});

it('creates, lists by page, reads, changes and deletes notes', async () => {
  const as = await backend.register(ACCOUNT.email);
  const ids: string[] = [];
  for (const title of ['One', 'Two', 'Three']) {
    const { status, body } = await backend.ask('POST /api/notes', { as, body: { title } });
    expect([status, body.text]).toEqual([201, '']);
    ids.unshift(body.id);
  }
  const [newest, middle, oldest] = ids;
  const first = await backend.ask('GET /api/notes?limit=2', { as });
  expect(first.body).toMatchObject({ notes: [{ id: newest }, { id: middle }], next: middle });
  const second = await backend.ask(`GET /api/notes?limit=2&after=${middle}`, { as });
  expect(second.body).toMatchObject({ notes: [{ id: oldest, title: 'One' }], next: null });
  time += 1_000;
  const changed = await backend.ask(`PATCH /api/notes/${oldest}`, { as, body: { text: 'x'.repeat(500) } });
  expect(changed).toMatchObject({ status: 200, body: { title: 'One', updatedAt: new Date(time).toISOString() } });
  expect((await backend.ask(`GET /api/notes/${oldest}`, { as })).body).toEqual(changed.body);
  expect((await backend.ask(`DELETE /api/notes/${oldest}`, { as })).status).toBe(204);
  expect((await backend.ask(`DELETE /api/notes/${oldest}`, { as })).status).toBe(404);
});

it('shows and gives notes to nobody else', async () => {
  const [ada, eve] = [await backend.register(ACCOUNT.email), await backend.register('eve@example.com')];
  const { body: note } = await backend.ask('POST /api/notes', { as: ada, body: { title: 'Mine' } });
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const question = method === 'PATCH' ? { body: { title: 'Yours' } } : {};
    expect((await backend.ask(`${method} /api/notes/${note.id}`, { ...question, as: eve })).status).toBe(404);
    expect((await backend.ask(`${method} /api/notes/${note.id}`, question)).status).toBe(401);
  }
  expect((await backend.ask('GET /api/notes', { as: eve })).body).toEqual({ notes: [], next: null });
  expect((await backend.ask(`GET /api/notes/${note.id}`, { as: ada })).body).toEqual(note);
});

it('says which fields are wrong', async () => {
  const body = { email: 'nobody', password: 'short', admin: true };
  expect(await backend.ask('POST /api/auth/register', { body })).toMatchObject({
    status: 400,
    body: {
      error: 'Some fields are not right.',
      details: [
        { field: 'email', message: 'This is not an e-mail address.' },
        { field: 'password', message: 'A password has at least 10 characters.' },
        { field: 'admin', message: 'Unknown field.' },
      ],
    },
  });
});

it.each([
  ['GET /nothing', 404, {}],
  ['GET /api/nothing', 404, {}],
  ['POST /api/auth/sign-in', 400, { body: '{"email":' }],
  ['POST /api/auth/sign-in', 413, { body: { email: 'x'.repeat(1_000_001) } }],
  ['POST /api/auth/sign-out', 403, { headers: { origin: 'https://evil.example' } }],
])('refuses with {error}: %s %i', async (line, status, question) => {
  const answer = await backend.ask(line, question);
  expect(answer).toMatchObject({ status, body: { error: expect.stringMatching(/\.$/) } });
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
});

it('has its API under the prefix, for the listed origins, and the features that are on', async () => {
  expect((await backend.ask('GET /metrics')).status).toBe(404);
  expect((await backend.ask('GET /docs')).status).toBe(404);
  const origin = 'https://app.example.com';
  const features = { APP_FEATURES_ENABLE_METRICS: 'true', APP_FEATURES_ENABLE_SWAGGER: 'true' };
  await reopen({ APP_API_PREFIX: '/v1', APP_API_CORS_ORIGINS: origin, ...features });
  const listed = await backend.ask('GET /v1/auth/me', { headers: { origin } });
  expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  const other = await backend.ask('GET /v1/auth/me', { headers: { origin: `${origin}.evil` } });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  expect((await backend.ask('GET /metrics')).body).toContain('route="/v1/auth/me",status="401"');
  const { body: document } = await backend.ask('GET /openapi.json');
  expect(document.servers).toEqual([{ url: '/v1' }]);
  expect(Object.keys(document.paths)).toContain('/notes/{id}');
  expect((await backend.ask('GET /docs')).body).toContain('./swagger-ui-bundle.js');
  expect((await backend.ask('GET /docs/swagger-initializer.js')).body).toContain('/openapi.json');
});
