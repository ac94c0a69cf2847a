// Personal API keys: how people manage them, and what programs may do with them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, revoke, withKey } from '../support/api-key.ts';
import { createHttpClient, detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const KEYS = '/api/v1/auth/api-keys';
const DAY = 86_400_000;
const CHANGE = { current_password: GOOD_PASSWORD, new_password: 'another long password' };

let service: TestApp;
let ann: HttpClient;
beforeEach(async () => {
  service = await openTestApp();
  ann = await service.user('ann');
});
afterEach(() => service.close());

const program = (key: string) => withKey(service.app, key);
const list = async (person = ann) =>
  (await jsonOf<{ api_keys: Record<string, unknown>[] }>(person.get(KEYS))).api_keys;

/** Returns the status of the response and, for a 401, its code. */
async function outcome(answer: Response): Promise<unknown> {
  if (answer.status !== 401) return answer.status;
  return (await detailOf<{ code: string }>(answer)).code;
}

describe('a person', () => {
  it('[auth.keys.create] [hostile.S29] makes a key that is shown once, and stored as a hash', async () => {
    const answer = await ann.post(KEYS, { name: ' laptop ', scopes: ['write'] });
    expect(answer.status).toBe(201);
    const { key, ...shown } = await jsonOf<{ key: string; hint: string }>(answer);
    expect(key).toMatch(/^ags_[A-Za-z0-9_-]{48}$/);
    expect(shown).toMatchObject({ name: 'laptop', scopes: ['read', 'write'] });
    expect(key.startsWith(shown.hint)).toBe(true);
    // The hint leaves the other characters secret, with 6 bits each.
    expect((key.length - shown.hint.length) * 6).toBeGreaterThanOrEqual(256);
    expect(await list()).toEqual([shown]);
    const stored = JSON.stringify(await service.storage.as((await me(ann)).id).apiKeys.list());
    expect(stored + JSON.stringify(service.lines)).not.toContain(key.slice(shown.hint.length));
  });

  it('[auth.keys.end] [hostile.S29] sets an end of 90 days by default, another one, or none, and sees it', async () => {
    const endOf = async (fields: object) =>
      (await jsonOf<{ expires_at: unknown }>(ann.post(KEYS, { name: 'x', ...fields }))).expires_at;
    expect(await endOf({})).toBe('2027-02-18T21:00:00.000+00:00');
    expect(await endOf({ expires_at: null })).toBeNull();
    expect(await endOf({ expires_at: '2026-12-01T00:00:00Z' })).toBe('2026-12-01T00:00:00.000+00:00');
    const { key } = await makeKey(ann);
    service.clock.now += 90 * DAY;
    expect(await outcome(await program(key).get('/api/v1/auth/me'))).toBe('token_expired');
  });

  it('[auth.keys.create] makes a read-only key by default, and nonsense is refused', async () => {
    expect(await jsonOf(ann.post(KEYS, { name: 'reader' }))).toMatchObject({ scopes: ['read'] });
    const past = new Date(service.clock.now).toISOString();
    for (const body of [
      {},
      { name: ' ' },
      { name: 'x'.repeat(101) },
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['admin'] },
      { name: 'x', expires_at: past },
      { name: 'x', expires_at: 'tomorrow' },
    ])
      expect([body, (await ann.post(KEYS, body)).status]).toEqual([body, 422]);
    expect(await list()).toHaveLength(1);
  });

  it('[auth.keys.most] has at most the configured number of keys', async () => {
    await service.close();
    service = await openTestApp({ auth: { max_api_keys: 2 } });
    ann = await service.user('ann');
    const [first] = [await makeKey(ann), await makeKey(ann)];
    const refused = await ann.post(KEYS, { name: 'third' });
    expect(refused.status).toBe(409);
    expect(await detailOf(refused)).toContain('Revoke one first.');
    await revoke(ann, first);
    await makeKey(ann);
  });

  it('[auth.keys.revoke] revokes a key once; it is useless from then on', async () => {
    const made = await makeKey(ann);
    expect((await program(made.key).get('/api/v1/auth/me')).status).toBe(200);
    const bob = await service.user('bob');
    expect((await bob.delete(`${KEYS}/${made.id}`)).status).toBe(404);
    await revoke(ann, made);
    expect(await outcome(await program(made.key).get('/api/v1/auth/me'))).toBe('token_invalid');
    expect((await ann.delete(`${KEYS}/${made.id}`)).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  it('[auth.keys.password] keeps the keys with a new password, unless the request revokes them', async () => {
    const { key } = await makeKey(ann);
    expect((await ann.post('/api/v1/auth/change-password', CHANGE)).status).toBe(200);
    expect((await program(key).get('/api/v1/auth/me')).status).toBe(200);
    const again = {
      current_password: CHANGE.new_password,
      new_password: GOOD_PASSWORD,
      revoke_api_keys: true,
    };
    expect((await ann.post('/api/v1/auth/change-password', { ...again, current_password: 'x' })).status).toBe(
      400,
    );
    expect((await program(key).get('/api/v1/auth/me')).status).toBe(200);
    expect((await ann.post('/api/v1/auth/change-password', again)).status).toBe(200);
    expect(await outcome(await program(key).get('/api/v1/auth/me'))).toBe('token_invalid');
  });

  it("[auth.keys.used] sees the minute of a key's last use", async () => {
    const { key } = await makeKey(ann);
    const used = async () => (await list())[0]?.last_used_at;
    expect(await used()).toBeNull();
    const first = new Date(service.clock.now).toISOString().replace('Z', '+00:00');
    await program(key).get('/api/v1/auth/me');
    await expect.poll(used).toBe(first);
    service.clock.now += 59_999;
    await program(key).get('/api/v1/auth/me');
    service.clock.now += 1;
    expect(await used()).toBe(first);
    await program(key).get('/api/v1/auth/me');
    await expect.poll(used).toBe(new Date(service.clock.now).toISOString().replace('Z', '+00:00'));
  });
});

describe('a program', () => {
  it('[http.bad-input.type] sends JSON with any content type; with cookies it is 415', async () => {
    const { key } = await makeKey(ann);
    for (const type of ['text/plain;charset=UTF-8', 'application/octet-stream', 'nonsense']) {
      const body = JSON.stringify({ metadata: { type } });
      const sent = { body, headers: { 'content-type': type } };
      const made = await program(key).send('POST', '/api/graph/threads', sent);
      expect([type, made.status]).toEqual([type, 200]);
      expect(await jsonOf<{ metadata: object }>(made)).toMatchObject({ metadata: { type } });
      expect((await ann.send('POST', '/api/graph/threads', sent)).status).toBe(415);
      const packed = { ...sent.headers, 'content-encoding': 'gzip' };
      expect((await program(key).send('POST', '/api/graph/threads', { body, headers: packed })).status).toBe(
        415,
      );
    }
    const signIn = { body: '{}', headers: { 'content-type': 'text/plain' } };
    expect((await program(key).send('POST', '/api/v1/auth/register', signIn)).status).toBe(415);
  });

  it('[auth.keys.bearer] sends the key as bearer token or as X-Api-Key, without cookie or CSRF token', async () => {
    const { key } = await makeKey(ann);
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key}` },
      { 'x-api-key': key },
    ]) {
      const client = createHttpClient(service.app, headers);
      expect((await client.post('/api/threads', {})).status).toBe(200);
      expect(await me(client)).toMatchObject({ email: 'ann@example.com' });
    }
  });

  it('[auth.keys.refused] [hostile.S29] learns what is wrong with its key', async () => {
    const { key } = await makeKey(ann, { expires_at: new Date(service.clock.now + DAY).toISOString() });
    const call = async (bearer: string) => outcome(await program(bearer).get('/api/v1/auth/me'));
    for (const bad of [
      'x',
      `${key}x`,
      key.slice(0, -1),
      `ags_${'A'.repeat(48)}`,
      ann.cookies.get('access_token') ?? '',
    ])
      expect([bad, await call(bad)]).toEqual([bad, 'token_invalid']);
    expect(await call(key)).toBe(200);
    service.clock.now += DAY;
    expect(await call(key)).toBe('token_expired');
  });

  it('[auth.keys.refused] [hostile.S29] finds keys in addresses, cookies and forms ignored', async () => {
    const { key } = await makeKey(ann);
    for (const path of [`?api_key=${key}`, `?access_token=${key}`, `?key=${key}`])
      expect(await outcome(await service.client().get(`/api/v1/auth/me${path}`))).toBe('not_authenticated');
    const client = service.client();
    client.cookies.set('access_token', key);
    expect(await outcome(await client.get('/api/v1/auth/me'))).toBe('token_invalid');
  });

  it('[auth.keys.user-gone] learns that the account of its key is gone', async () => {
    const gone = '0a5ff7e2-1111-4222-8333-444455556666';
    const { key, record } = await service.auth.apiKeys.create(service.storage.as(gone).apiKeys, {
      name: 'orphan',
      scopes: ['read'],
      expiresAt: null,
    });
    expect(record.userId).toBe(gone);
    expect(await outcome(await program(key).get('/api/threads/x'))).toBe('user_not_found');
  });

  it('[auth.keys.both] acts with its key, whatever cookie it also sends', async () => {
    const bob = await service.user('bob');
    const { key } = await makeKey(ann, { scopes: ['read'] });
    const both = (authorization: string) =>
      bob.send('GET', '/api/v1/auth/me', { headers: { authorization } });
    expect(await jsonOf(both(`Bearer ${key}`))).toMatchObject({ email: 'ann@example.com' });
    expect(await outcome(await both('Bearer nonsense'))).toBe('token_invalid');
    // Not for this service: a proxy's own scheme, and a key of another service that the SDK found.
    expect(await jsonOf(both('Basic abc'))).toMatchObject({ email: 'bob@example.com' });
    const foreign = { 'x-api-key': 'lsv2_something' };
    expect(await jsonOf(bob.get('/api/v1/auth/me', foreign))).toMatchObject({ email: 'bob@example.com' });
    const write = await bob.post('/api/threads', {}, { authorization: `Bearer ${key}` });
    expect(write.status).toBe(403);
  });

  it('[auth.keys.read] [hostile.S29] with a read-only key gets a sentence when it tries to change something', async () => {
    const threadId = (await jsonOf<{ thread_id: string }>(ann.post('/api/threads', {}))).thread_id;
    const reader = program((await makeKey(ann, { scopes: ['read'] })).key);
    for (const path of ['threads/search', 'threads/count'])
      expect((await reader.post(`/api/${path}`, {})).status).toBe(200);
    expect((await reader.get(`/api/threads/${threadId}`)).status).toBe(200);
    const refused = await reader.delete(`/api/threads/${threadId}`);
    expect(refused.status).toBe(403);
    expect(await detailOf(refused)).toBe("This API key may only read. It lacks the scope 'write'.");
    // Also for absent threads, since a refusal must not reveal what exists.
    expect((await reader.delete('/api/threads/absent')).status).toBe(403);
  });

  it('[auth.keys.account] [hostile.S29] cannot touch the account or its keys', async () => {
    const made = await makeKey(ann);
    const client = program(made.key);
    const email = { current_password: GOOD_PASSWORD, new_email: 'eve@example.com' };
    const answers = [
      await client.post('/api/v1/auth/change-password', CHANGE),
      await client.post('/api/v1/auth/change-email', email),
      await client.post(KEYS, { name: 'another' }),
      await client.get(KEYS),
      await client.delete(`${KEYS}/${made.id}`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(await detailOf(answer)).toContain('an API key is not enough');
    }
  });
});

function me(client: HttpClient): Promise<{ id: string; email: string }> {
  return jsonOf(client.get('/api/v1/auth/me'));
}
