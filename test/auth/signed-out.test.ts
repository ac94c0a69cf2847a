// Ended sessions, and the list of a person's sessions.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, createHttpClient, detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const AUTH = '/api/v1/auth';
const ANN = { email: 'ann@example.com', password: GOOD_PASSWORD };
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface SessionBody {
  readonly id: string;
  readonly device: string;
  readonly client_ip: string;
  readonly last_used_at: string;
  readonly current: boolean;
}

let service: TestApp;
let ann: HttpClient;
beforeEach(async () => {
  service = await openTestApp();
  ann = service.client();
  await ann.register(ANN);
});
afterEach(() => service.close());

async function signedIn(headers: Record<string, string> = {}): Promise<HttpClient> {
  const client = createHttpClient(service.app, headers);
  expect((await client.signIn(ANN)).status).toBe(200);
  return client;
}

/** Returns a client with the current cookies of this one, whatever happens to them later. */
function thief(of: HttpClient): HttpClient {
  const client = service.client();
  for (const [name, value] of of.cookies) client.cookies.set(name, value);
  return client;
}

async function isSignedIn(client: HttpClient): Promise<boolean> {
  const answer = await client.get(`${AUTH}/me`);
  if (answer.status === 200) return true;
  expect([answer.status, (await detailOf<{ code: string }>(answer)).code]).toEqual([401, 'token_invalid']);
  return false;
}

const listed = async (client: HttpClient) =>
  (await jsonOf<{ sessions: SessionBody[] }>(client.get(`${AUTH}/sessions`))).sessions;

describe('signing out', () => {
  it('[auth.logout.session] [hostile.S24] ends the session: its cookies can neither read nor make an API key', async () => {
    const stolen = thief(ann);
    expect(await isSignedIn(stolen)).toBe(true);
    expect((await ann.post(`${AUTH}/logout`)).status).toBe(200);
    expect([...ann.cookies.keys()]).toEqual([]);
    expect(await isSignedIn(stolen)).toBe(false);
    expect((await stolen.post(`${AUTH}/api-keys`, { name: 'for ever' })).status).toBe(401);
    // A repeated request has nothing to end.
    expect((await stolen.post(`${AUTH}/logout`)).status).toBe(200);
  });

  it('[auth.logout.session] leaves the other sessions alone', async () => {
    const other = await signedIn();
    await ann.post(`${AUTH}/logout`);
    expect(await isSignedIn(other)).toBe(true);
  });

  it('[auth.session.fresh-id] [hostile.S26] every sign-in is a new session, whatever cookies the request has', async () => {
    const before = thief(ann);
    expect((await ann.signIn(ANN)).status).toBe(200);
    expect(ann.cookies.get('access_token')).not.toBe(before.cookies.get('access_token'));
    const [newest, oldest] = await listed(ann);
    expect(newest?.id).not.toBe(oldest?.id);
    // A planted cookie never becomes a session.
    const planted = service.client();
    planted.cookies.set('access_token', 'planted');
    planted.cookies.set('csrf_token', 'planted');
    expect((await planted.signIn(ANN)).status).toBe(200);
    expect([...planted.cookies.values()]).not.toContain('planted');
  });
});

describe('the list of sessions', () => {
  it('[auth.sessions.list] [hostile.S26] shows device, address and last use, and the current session', async () => {
    service.clock.now += 1000;
    service.peer.address = '198.51.100.7';
    const phone = await signedIn({ 'user-agent': FIREFOX });
    const answer = await phone.get(`${AUTH}/sessions`);
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual({
      sessions: [
        {
          id: expect.any(String),
          device: 'Firefox on Linux',
          client_ip: '198.51.100.7',
          created_at: '2026-11-20T21:00:01.000+00:00',
          last_used_at: '2026-11-20T21:00:01.000+00:00',
          expires_at: '2026-11-27T21:00:01.000+00:00',
          password_confirmed_seconds: 600,
          current: true,
        },
        expect.objectContaining({ device: 'Unknown device', client_ip: '192.0.2.10', current: false }),
      ],
    });
    expect(text).not.toContain(phone.cookies.get('access_token'));
  });

  it('[auth.sessions.list] the last use is written at most every five minutes', async () => {
    const used = async () => (await listed(ann)).map(({ last_used_at }) => Date.parse(last_used_at));
    const signedInAt = service.clock.now;
    service.clock.now += 299_000;
    expect(await used()).toEqual([signedInAt]);
    service.clock.now += 1000;
    await used();
    await expect.poll(used).toEqual([signedInAt + 300_000]);
  });

  it.each([
    [FIREFOX, 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.5.0', 'curl'],
    ['<script>alert(1)</script>', 'Unknown device'],
    [`(${' '.repeat(10_000)}curl`, 'Unknown device'],
    [undefined, 'Unknown device'],
  ])('[auth.sessions.device] %s', async (userAgent, name) => {
    const client = await signedIn(userAgent === undefined ? {} : { 'user-agent': userAgent });
    expect((await listed(client)).find(({ current }) => current)?.device).toBe(name);
  });

  it('[auth.sessions.end] [hostile.S26] one is ended by its id, the others stay', async () => {
    const lost = await signedIn();
    const [{ id } = { id: '' }] = (await listed(lost)).filter(({ current }) => current);
    expect((await ann.delete(`${AUTH}/sessions/${id}`)).status).toBe(204);
    expect([await isSignedIn(lost), await isSignedIn(ann)]).toEqual([false, true]);
    for (const gone of [id, 'no id', crypto.randomUUID()])
      expect((await ann.delete(`${AUTH}/sessions/${encodeURIComponent(gone)}`)).status).toBe(404);
    const [{ id: own } = { id: '' }] = await listed(ann);
    expect((await ann.delete(`${AUTH}/sessions/${own}`)).status).toBe(204);
    expect(ann.cookies.size).toBe(0);
  });

  it('[auth.sessions.end-others] [hostile.S26] all but the current one are ended together', async () => {
    const others = [await signedIn(), await signedIn()];
    const bob = await service.user('bob');
    expect(await bodyOf(await ann.delete(`${AUTH}/sessions`))).toEqual({ ended: 2 });
    for (const other of others) expect(await isSignedIn(other)).toBe(false);
    expect([await isSignedIn(ann), await isSignedIn(bob)]).toEqual([true, true]);
    expect(await bodyOf(await ann.delete(`${AUTH}/sessions`))).toEqual({ ended: 0 });
  });

  it('[auth.sessions.end-others] [hostile.S24] a change of password or e-mail ends all others', async () => {
    let password = GOOD_PASSWORD;
    for (const [path, change] of [
      ['change-password', { new_password: 'another good password' }],
      ['change-email', { new_email: 'new@example.com' }],
    ] as const) {
      const stolen = thief(ann);
      expect((await ann.post(`${AUTH}/${path}`, { current_password: password, ...change })).status).toBe(200);
      password = 'another good password';
      expect([await isSignedIn(stolen), await isSignedIn(ann)]).toEqual([false, true]);
      expect(await listed(ann)).toHaveLength(1);
    }
  });

  it('[auth.sessions.most] the one with the oldest use is ended for a new one', async () => {
    await service.close();
    service = await openTestApp({ auth: { max_sessions: 2 } });
    ann = service.client();
    await ann.register(ANN);
    service.clock.now += 1;
    const second = await signedIn();
    service.clock.now += 1;
    const third = await signedIn();
    expect([await isSignedIn(ann), await isSignedIn(second), await isSignedIn(third)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('[auth.sessions.end] no API key lists or ends sessions', async () => {
    const { key } = await jsonOf<{ key: string }>(
      ann.post(`${AUTH}/api-keys`, { name: 'a program', scopes: ['write'] }),
    );
    const program = createHttpClient(service.app, { authorization: `Bearer ${key}` });
    for (const [method, path] of [
      ['GET', 'sessions'],
      ['DELETE', 'sessions'],
      ['DELETE', `sessions/${(await listed(ann))[0]?.id}`],
    ] as const)
      expect((await program.send(method, `${AUTH}/${path}`)).status).toBe(403);
    expect(await isSignedIn(ann)).toBe(true);
  });
});

describe('the CSRF token', () => {
  it('[auth.csrf.bound] [hostile.S15] one of another session is refused, even with a matching cookie', async () => {
    const bob = await service.user('bob');
    const older = thief(ann);
    await ann.signIn(ANN);
    for (const token of [bob, older]
      .map(({ cookies }) => cookies.get('csrf_token') ?? '')
      .concat('x', 'a'.repeat(43))) {
      // A neighboring site can set cookies for this one. The pair then matches, and is still not the
      // session's.
      const tossed = thief(ann);
      tossed.cookies.set('csrf_token', token);
      const answer = await tossed.post('/api/threads', {});
      expect([answer.status, await detailOf(answer)]).toEqual([403, 'CSRF token mismatch']);
    }
    expect((await ann.post('/api/threads', {})).status).toBe(200);
  });

  it('[auth.csrf.bound] [hostile.S15] no GET request changes anything', async () => {
    for (const path of ['logout', 'login/local', 'register', 'initialize', 'change-password', 'change-email'])
      expect([path, (await ann.get(`${AUTH}/${path}`)).status]).toEqual([path, 404]);
    expect(await isSignedIn(ann)).toBe(true);
  });
});
