// Signing in, the lockout, and the address of the client.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { createPasswords } from '../../src/auth/passwords.ts';
import { detailOf } from '../support/http-client.ts';
import { ownTime } from '../support/own-time.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const ANN = { email: 'ann@example.com', password: GOOD_PASSWORD };
const WRONG = { email: 'ann@example.com', password: 'not the password' };
const COSTS = authOptionsSchema.parse({}).password_hash;

let service: TestApp;
beforeEach(async () => {
  service = await openTestApp();
  await service.client().register(ANN);
});
afterEach(() => service.close());

async function fail(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect((await service.client().signIn(WRONG)).status).toBe(401);
  }
}

describe('sign in', () => {
  it('[auth.login.answer] returns the life of the session and sets both cookies', async () => {
    const client = service.client();
    const answer = await client.signIn(ANN);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual({ expires_in: 604_800, needs_setup: false });
    expect([...client.cookies.keys()].sort()).toEqual(['access_token', 'csrf_token']);
    expect(text).not.toContain(client.cookies.get('access_token'));
    expect((await client.get('/api/v1/auth/me')).status).toBe(200);
  });

  it('[auth.login.form] accepts multipart forms too, and names a missing field', async () => {
    const form = new FormData();
    form.set('username', ANN.email);
    form.set('password', ANN.password);
    const path = '/api/v1/auth/login/local';
    expect((await service.client().send('POST', path, { body: form })).status).toBe(200);

    const empty = await service.client().send('POST', path, { body: new URLSearchParams() });
    expect(empty.status).toBe(422);
    const detail = await detailOf<{ loc: unknown }[]>(empty);
    expect(detail.map((issue) => issue.loc)).toEqual([
      ['body', 'username'],
      ['body', 'password'],
    ]);
    expect((await service.client().post(path, ANN)).status).toBe(415);
    const odd = new URLSearchParams({ username: ANN.email, password: ANN.password, remember_me: 'perhaps' });
    expect((await service.client().send('POST', path, { body: odd })).status).toBe(422);
  });

  it('[auth.login.wrong] a wrong password is 401 invalid_credentials', async () => {
    const answer = await service.client().signIn(WRONG);
    expect(answer.status).toBe(401);
    expect(await detailOf(answer)).toMatchObject({ code: 'invalid_credentials' });
  });

  it('[auth.login.unknown] an unknown e-mail gets the same response', async () => {
    const wrong = await service.client().signIn(WRONG);
    const unknown = await service.client().signIn({ ...WRONG, email: 'nobody@example.com' });
    expect(unknown.status).toBe(wrong.status);
    expect(await unknown.text()).toBe(await wrong.text());
  });

  it('[auth.login.unknown] [hostile.S21] the check without an account takes as long as with one', async () => {
    const passwords = createPasswords({ ...COSTS, iterations: 4 });
    const clientIp = '192.0.2.10';
    const hash = await passwords.hash(ANN.password, clientIp);
    const took = async (passwordHash: string | undefined) => {
      const time = ownTime();
      expect(await passwords.verify({ password: WRONG.password, passwordHash, clientIp })).toBe(false);
      return time();
    };
    // Alternating, with the fastest of each, so that other work of the machine slows both or neither.
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 12; round += 1) {
      known = Math.min(known, await took(hash));
      unknown = Math.min(unknown, await took(undefined));
    }
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  it('a password longer than the limit is simply wrong', async () => {
    const answer = await service.client().signIn({ ...ANN, password: 'x'.repeat(50_000) });
    expect(answer.status).toBe(401);
  });
});

describe('lockout', () => {
  it('[auth.login.lockout] five failures lock the address for 300 seconds', async () => {
    await fail(5);
    const locked = await service.client().signIn(ANN);
    expect(locked.status).toBe(429);
    expect(locked.headers.get('retry-after')).toBe('300');
    expect(await detailOf(locked)).toMatch(/Try again in 300 seconds/);

    service.clock.now += 299_000;
    const almost = await service.client().signIn(ANN);
    expect([almost.status, almost.headers.get('retry-after')]).toEqual([429, '1']);
    service.clock.now += 1000;
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });

  it('[auth.confirm.lockout] a session cannot guess its password either', async () => {
    const ann = service.client();
    expect((await ann.signIn(ANN)).status).toBe(200);
    const guesses = [
      (current_password: string) =>
        ann.post('/api/v1/auth/change-password', { current_password, new_password: 'another good password' }),
      (current_password: string) =>
        ann.post('/api/v1/auth/change-email', { current_password, new_email: 'other@example.com' }),
    ];
    for (const [n, status] of [400, 400, 400, 400, 400, 429, 429, 429].entries())
      expect((await guesses[n % 2]?.(`a guess ${n}`))?.status).toBe(status);
    expect((await guesses[0]?.(ANN.password))?.status).toBe(429);
    service.clock.now += 300_000;
    expect((await guesses[0]?.(ANN.password))?.status).toBe(200);
  });

  it('[auth.login.lockout] four failures do not lock, and failures are forgotten after 300 seconds', async () => {
    await fail(4);
    service.clock.now += 300_000;
    await fail(4);
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });

  it('[auth.login.lockout.before] a locked address does not learn whether the password is right', async () => {
    await fail(5);
    const [right, wrong] = [await service.client().signIn(ANN), await service.client().signIn(WRONG)];
    expect(await right.text()).toBe(await wrong.text());
  });

  it('[auth.login.lockout.success] a success clears the failures', async () => {
    await fail(4);
    expect((await service.client().signIn(ANN)).status).toBe(200);
    await fail(4);
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });

  it('[auth.login.lockout.success] a success forgives no failures of other accounts, and a registration none at all', async () => {
    const own = { email: 'mallory@example.com', password: GOOD_PASSWORD };
    await fail(3);
    await service.client().register(own);
    expect((await service.client().signIn({ ...own, password: WRONG.password })).status).toBe(401);
    expect((await service.client().signIn(own)).status).toBe(200);
    await service.client().register({ ...own, email: 'trudy@example.com' });
    await fail(2);
    const locked = await service.client().signIn(WRONG);
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '300']);
    expect((await service.client().signIn(own)).status).toBe(429);
  });

  it('[auth.login.lockout.parallel] twenty concurrent attempts check five passwords', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.client().signIn(WRONG)));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
    expect((await service.client().signIn(ANN)).status).toBe(429);
  });

  it('another address is not locked', async () => {
    await fail(5);
    service.peer.address = '192.0.2.11';
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });

  it('[auth.login.lockout.ipv6] addresses of one /64 are one client', async () => {
    for (let host = 1; host <= 5; host += 1) {
      service.peer.address = `2001:db8:1:2::${host}`;
      await fail(1);
    }
    service.peer.address = '2001:db8:1:2:ffff::1';
    expect((await service.client().signIn(ANN)).status).toBe(429);
    service.peer.address = '2001:db8:1:3::1';
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });

  it('[auth.login.lockout.ipv6] an IPv4 address inside IPv6 is that IPv4 address', async () => {
    service.peer.address = '::ffff:192.0.2.10';
    await fail(5);
    service.peer.address = '192.0.2.10';
    expect((await service.client().signIn(ANN)).status).toBe(429);
    service.peer.address = '::ffff:192.0.2.99';
    expect((await service.client().signIn(ANN)).status).toBe(200);
  });
});

describe('client address', () => {
  const signInVia = (headers: Record<string, string>, password = WRONG.password) =>
    service.client().send('POST', '/api/v1/auth/login/local', {
      body: new URLSearchParams({ username: ANN.email, password }),
      headers,
    });

  it('[auth.client-ip] X-Real-IP of a peer that is no trusted proxy is ignored', async () => {
    for (let count = 1; count <= 5; count += 1) await signInVia({ 'x-real-ip': `203.0.113.${count}` });
    expect((await signInVia({ 'x-real-ip': '203.0.113.99' })).status).toBe(429);
  });

  it.each(['10.0.0.0/8', '10.1.2.3', '::ffff:10.1.2.3'])(
    '[auth.client-ip] X-Real-IP of the trusted proxy %s counts',
    async (proxy) => {
      await service.close();
      service = await openTestApp({ auth: { trusted_proxies: [proxy] } });
      await service.client().register(ANN);
      service.peer.address = '::ffff:10.1.2.3';
      for (let count = 0; count < 5; count += 1) await signInVia({ 'x-real-ip': '203.0.113.5' });
      expect((await signInVia({ 'x-real-ip': '203.0.113.5' }, ANN.password)).status).toBe(429);
      expect((await signInVia({ 'x-real-ip': '203.0.113.6' }, ANN.password)).status).toBe(200);
      // An invalid address is the proxy's own failure, and counts for the proxy.
      expect((await signInVia({ 'x-real-ip': 'not an address' }, ANN.password)).status).toBe(200);
    },
  );

  it('[auth.client-ip.forwarded-for] X-Forwarded-For and Forwarded are never read', async () => {
    await service.close();
    service = await openTestApp({ auth: { trusted_proxies: ['192.0.2.0/24'] } });
    await service.client().register(ANN);
    for (let count = 1; count <= 5; count += 1) {
      await signInVia({ 'x-forwarded-for': `203.0.113.${count}`, forwarded: `for=203.0.113.${count}` });
    }
    expect((await signInVia({ 'x-forwarded-for': '203.0.113.99' })).status).toBe(429);
  });
});
