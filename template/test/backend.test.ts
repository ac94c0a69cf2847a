// The backend as its clients see it: over HTTP.

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { decodeJwt, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClientAddress } from '../http/client-address.ts';
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
  expect((await backend.ask('GET /api/auth/me', { as })).status).toBe(401);
  expect(await backend.ask('POST /api/auth/sign-in', { body })).toMatchObject({ status: 200, body: registered.body });
});

it('changes the password for whoever knows the old one, and signs out everywhere else', async () => {
  const as = await backend.register(ACCOUNT.email);
  const other = await backend.signIn(ACCOUNT.email);
  const change = (password: string, newPassword: string) =>
    backend.ask('POST /api/auth/change-password', { as, body: { password, newPassword } });
  const details = [{ field: 'password', message: 'This is not your password.' }];
  expect(await change('a wrong password', 'another passphrase')).toMatchObject({ status: 400, body: { details } });
  expect((await backend.ask('GET /api/auth/me', { as: other })).status).toBe(200);
  expect((await change(PASSWORD, 'another passphrase')).status).toBe(204);
  expect((await backend.ask('GET /api/auth/me', { as })).status).toBe(200);
  expect((await backend.ask('GET /api/auth/me', { as: other })).status).toBe(401);
  expect((await backend.ask('POST /api/auth/sign-in', { body: ACCOUNT })).status).toBe(401);
  expect(await backend.signIn(ACCOUNT.email, 'another passphrase')).toContain('session=');
});

it('deletes the account with its notes and sessions', async () => {
  const as = await backend.register(ACCOUNT.email);
  const other = await backend.signIn(ACCOUNT.email);
  await backend.ask('POST /api/notes', { as, body: { title: 'Mine' } });
  const remove = (password: string) => backend.ask('POST /api/auth/delete-account', { as, body: { password } });
  expect((await remove('a wrong password')).status).toBe(400);
  expect((await remove(PASSWORD)).status).toBe(204);
  for (const cookie of [as, other]) expect((await backend.ask('GET /api/notes', { as: cookie })).status).toBe(401);
  expect((await backend.ask('POST /api/auth/sign-in', { body: ACCOUNT })).status).toBe(401);
  const again = await backend.register(ACCOUNT.email);
  expect((await backend.ask('GET /api/notes', { as: again })).body.notes).toEqual([]);
});

it('counts attempts by the address that a trusted proxy names', async () => {
  const attempt = async (address: string) => {
    const headers = { 'x-real-ip': address };
    return (await backend.ask('POST /api/auth/sign-in', { body: ACCOUNT, headers })).status;
  };
  // The tests are a proxy on this machine.
  for (let count = 1; count <= 10; count += 1) expect(await attempt('203.0.113.1')).toBe(401);
  expect(await attempt('203.0.113.1')).toBe(429);
  expect(await attempt('203.0.113.2')).toBe(401);
});

it('believes X-Real-IP of this machine and of the proxies in the configuration only', async () => {
  const clientAddress = createClientAddress(['10.0.0.0/8', 'fd00::7']);
  const app = new Hono().get('/', (c) => c.text(clientAddress(c)));
  const seen = async (remoteAddress: string, named: string) => {
    const incoming = { socket: { remoteAddress } };
    return (await app.request('/', { headers: { 'x-real-ip': named } }, { incoming })).text();
  };
  for (const proxy of ['127.0.0.1', '::1', '10.1.2.3', '::ffff:10.1.2.3', 'fd00::7'])
    expect(await seen(proxy, '203.0.113.1')).toBe('203.0.113.1');
  for (const other of ['11.1.2.3', 'fd00::8']) expect(await seen(other, '203.0.113.1')).toBe(other);
  expect(await seen('10.1.2.3', 'nonsense')).toBe('10.1.2.3');
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
  const session = decodeJwt(as.replace('session=', '')).jti ?? '';
  const status = async (cookie: string) => (await backend.ask('GET /api/auth/me', { as: cookie })).status;
  const forged = async (secret: string, jti: string) => {
    const token = new SignJWT({ jti, iss: 'app', exp: time + DAY_MS }).setProtectedHeader({ alg: 'HS256' });
    return `session=${await token.sign(new TextEncoder().encode(secret))}`;
  };
  expect(await status(await forged(SECRET, session))).toBe(200);
  expect(await status(await forged(`not ${SECRET}`, session))).toBe(401);
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
    expect([status, body.text, body.version]).toEqual([201, '', 1]);
    ids.unshift(body.id);
    time += 1_000;
  }
  const [newest, middle, oldest] = ids;
  const first = await backend.ask('GET /api/notes?limit=2', { as });
  expect(first.body).toMatchObject({
    notes: [{ id: newest }, { id: middle }],
    next: expect.stringContaining(`_${middle}`),
  });
  const second = await backend.ask(`GET /api/notes?limit=2&after=${first.body.next}`, { as });
  expect(second.body).toMatchObject({ notes: [{ id: oldest, title: 'One' }], next: null });
  const body = { text: 'x'.repeat(500), version: 1 };
  const changed = await backend.ask(`PATCH /api/notes/${oldest}`, { as, body });
  const updatedAt = new Date(time).toISOString();
  expect(changed).toMatchObject({ status: 200, body: { title: 'One', version: 2, updatedAt } });
  // The note that changed last comes first, with the date of that change.
  const list = await backend.ask('GET /api/notes', { as });
  expect(list.body.notes).toMatchObject([{ id: oldest, updatedAt }, { id: newest }, { id: middle }]);
  expect((await backend.ask(`GET /api/notes/${oldest}`, { as })).body).toEqual(changed.body);
  expect((await backend.ask(`DELETE /api/notes/${oldest}`, { as })).status).toBe(204);
  expect((await backend.ask(`DELETE /api/notes/${oldest}`, { as })).status).toBe(404);
});

it('does not overwrite what was not seen', async () => {
  const as = await backend.register(ACCOUNT.email);
  const { body: note } = await backend.ask('POST /api/notes', { as, body: { title: 'Plan' } });
  const save = (text: string, version: number) =>
    backend.ask(`PATCH /api/notes/${note.id}`, { as, body: { text, version } });
  const both = await Promise.all([save('here', 1), save('there', 1)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const { body: saved } = await backend.ask(`GET /api/notes/${note.id}`, { as });
  expect(both.find(({ status }) => status === 200)?.body).toEqual(saved);
  expect(await save('after reading', saved.version)).toMatchObject({ status: 200, body: { version: 3 } });
});

it('shows and gives notes to nobody else', async () => {
  const [ada, eve] = [await backend.register(ACCOUNT.email), await backend.register('eve@example.com')];
  const { body: note } = await backend.ask('POST /api/notes', { as: ada, body: { title: 'Mine' } });
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const question = method === 'PATCH' ? { body: { title: 'Yours', version: 1 } } : {};
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

it('says in its own words what has the wrong type, is missing or out of bounds', async () => {
  const as = await backend.register(ACCOUNT.email);
  const details = async (line: string, body?: object) => (await backend.ask(line, { as, body })).body.details;
  expect(await details('GET /api/notes?limit=some&after=x')).toEqual([
    { field: 'limit', message: 'This must be a number.' },
    { field: 'after', message: 'This is not the `next` of a page.' },
  ]);
  expect(await details('GET /api/notes?limit=101')).toEqual([{ field: 'limit', message: 'This must be at most 100.' }]);
  expect(await details('GET /api/notes?limit=1.5')).toEqual([
    { field: 'limit', message: 'This must be a whole number.' },
  ]);
  expect(await details('POST /api/notes', { text: 1 })).toEqual([
    { field: 'title', message: 'This is required.' },
    { field: 'text', message: 'This must be text.' },
  ]);
  expect(await details('POST /api/notes', [])).toEqual([{ field: '', message: 'This must be an object.' }]);
});

it('tells whoever sets up a proxy that it must pass Host on', async () => {
  const origin = 'https://app.example.com';
  const { status, body } = await backend.ask('POST /api/auth/sign-out', { headers: { origin } });
  expect([status, body.error]).toEqual([
    403,
    expect.stringMatching(/is from https:\/\/app.example.com, but .+127.0.0.1/),
  ]);
  expect(body.error).toContain('must pass the Host header on');
  const socket = connect(Number(new URL(backend.url).port), '127.0.0.1');
  socket.end('GET /health HTTP/1.0\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('The request has no Host header.');
});

it.each([
  ['GET /api/notes/nonsense', 401, {}],
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
