// Guessing on a large scale: from many addresses, for many accounts, and by creating accounts.
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detailOf } from '../support/http-client.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const ANN = { email: 'ann@example.com', password: GOOD_PASSWORD };
const HOME = '192.0.2.10';

/** Trusted to report the address of a request. */
const PROXY = '10.1.2.3';

let service: TestApp;
let hosts: number;
async function open(auth: Record<string, unknown> = {}): Promise<void> {
  hosts = 0;
  service = await openTestApp({ auth: { trusted_proxies: [PROXY], ...auth } });
  service.peer.address = PROXY;
}
beforeEach(async () => {
  await open();
  await service.client().register(ANN);
});
afterEach(() => service.close());

/** Signs in from the address, by default with a wrong password. */
function tryFrom(address: string, { email = ANN.email, password = 'a guess' } = {}) {
  return service.client().send('POST', '/api/v1/auth/login/local', {
    body: new URLSearchParams({ username: email, password }),
    headers: { 'x-real-ip': address },
  });
}

/** Returns an address of a new network each time. */
function elsewhere(): string {
  hosts += 1;
  return `2001:db8:${hosts.toString(16)}::1`;
}

describe('one account, many addresses', () => {
  it('[auth.login.delay] [hostile.S22] an account under attack from anywhere has a longer delay after every failure', async () => {
    for (let count = 0; count < 10; count += 1) expect((await tryFrom(elsewhere())).status).toBe(401);
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const refused = await tryFrom(elsewhere(), ANN);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(seconds)]);
      service.clock.now += seconds * 1000;
      expect((await tryFrom(elsewhere())).status).toBe(401);
    }
    // Never a hard lock: after the delay a new address can sign in.
    service.clock.now += 60_000;
    expect((await tryFrom(elsewhere(), ANN)).status).toBe(200);
  });

  it('[auth.login.delay] [hostile.S22] many concurrent guesses from everywhere check ten passwords', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => tryFrom(elsewhere())));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(20).fill(429)]);
  });

  it('[auth.login.delay.owner] where the owner has signed in before, no attacker can lock them out', async () => {
    expect((await tryFrom(HOME, ANN)).status).toBe(200);
    for (let count = 0; count < 10; count += 1) await tryFrom(elsewhere());
    expect((await tryFrom(elsewhere(), ANN)).status).toBe(429);
    expect((await tryFrom(HOME, ANN)).status).toBe(200);
    // The owner's success does not reset the failures from elsewhere.
    expect((await tryFrom(elsewhere(), ANN)).status).toBe(429);
  });

  it('[auth.login.delay.owner] a signed-in person can change the password during an attack from elsewhere', async () => {
    const client = service.client();
    await client.signIn(ANN);
    for (let count = 0; count < 10; count += 1) await tryFrom(elsewhere());
    const passwords = { current_password: ANN.password, new_password: 'quite another password' };
    const changed = await client.post('/api/v1/auth/change-password', passwords, {
      'x-real-ip': elsewhere(),
    });
    expect(changed.status).toBe(200);
  });

  it('[auth.login.delay.unknown] [hostile.S21] an e-mail without an account behaves the same', async () => {
    const outcomes = async (email: string) => {
      const seen: unknown[] = [];
      for (let count = 0; count < 13; count += 1) {
        const answer = await tryFrom(elsewhere(), { email });
        seen.push([answer.status, answer.headers.get('retry-after'), await answer.text()]);
      }
      return seen;
    };
    expect(await outcomes('nobody@example.com')).toEqual(await outcomes(ANN.email));
  });
});

describe('one address, many accounts', () => {
  it('[hostile.S22] five failures lock it, whatever their accounts and headers', async () => {
    service.peer.address = HOME;
    const claims = [1, 2, 3, 4, 5, 6].map((n) => ({
      'x-forwarded-for': `203.0.113.${n}`,
      'x-real-ip': `203.0.113.${n}`,
      forwarded: `for=203.0.113.${n}`,
    }));
    const statuses: number[] = [];
    for (const [n, headers] of claims.entries()) {
      const body = new URLSearchParams({ username: `${n}@example.com`, password: 'a guess' });
      const answer = await service.client().send('POST', '/api/v1/auth/login/local', { body, headers });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('[hostile.S22] an IPv6 address counts as its whole /64', async () => {
    for (let host = 1; host <= 5; host += 1)
      await tryFrom(`2001:db8:1:2::${host}`, { email: `${host}@example.com` });
    expect((await tryFrom('2001:db8:1:2:ffff::1', ANN)).status).toBe(429);
    expect((await tryFrom('2001:db8:1:3::1', ANN)).status).toBe(200);
  });
});

describe('many accounts', () => {
  const register = (address: string, name: string) =>
    service
      .client()
      .post(
        '/api/v1/auth/register',
        { email: `${name}@example.com`, password: GOOD_PASSWORD },
        { 'x-real-ip': address },
      );

  it('[auth.register.limit] an address creates at most ten accounts per hour, and taken e-mails count', async () => {
    await service.close();
    await open({ registrations: {} });
    for (let count = 0; count < 9; count += 1)
      expect((await register(`2001:db8::${count}`, `n${count}`)).status).toBe(201);
    expect((await register('2001:db8::a', 'n1')).status).toBe(400);
    service.clock.now += 600_000;
    const refused = await register('2001:db8::b', 'n11');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3000']);
    expect(await detailOf(refused)).toBe(
      'Too many accounts were created from this address. Try again in 50 minutes.',
    );
    expect((await register('2001:db8:0:1::1', 'n12')).status).toBe(201);
    service.clock.now += 3_000_000;
    expect((await register('2001:db8::b', 'n13')).status).toBe(201);
  });
});

describe('the queue for password hashes', () => {
  const COSTLY = { memory_kib: 8_192, iterations: 1 };

  it('[auth.passwords.queue] while 150 sign-ins wait, files and the database keep working, and a person waits for few of them', async () => {
    await service.close();
    await open({ password_hash: COSTLY });
    const ann = service.client();
    await ann.register(ANN);
    let done = 0;
    const guesses = Array.from({ length: 150 }, async () => {
      await tryFrom(elsewhere(), { email: `somebody-${hosts}@example.com` });
      done += 1;
    });
    await readFile(new URL(import.meta.url));
    expect(done).toBeLessThan(30);
    expect((await ann.post('/api/threads', {})).status).toBe(200);
    expect(done).toBeLessThan(60);
    await Promise.all(guesses);
  });

  it('[auth.passwords.queue] addresses take turns', async () => {
    await service.close();
    await open({ password_hash: COSTLY });
    await service.client().register(ANN);
    const order: string[] = [];
    const hash = async (address: string, n: number) => {
      await tryFrom(address, { email: `${n}@example.com` });
      order.push(address);
    };
    const greedy = Array.from({ length: 5 }, (_, n) => hash('198.51.100.1', n));
    await Promise.all([...greedy, hash('198.51.100.2', 5)]);
    expect(order.indexOf('198.51.100.2')).toBeLessThan(4);
  });

  it('[auth.passwords.queue] when the queue is full, requests get a 503 with Retry-After', async () => {
    await service.close();
    await open({ password_hash: { ...COSTLY, waiting: 3 } });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => tryFrom(elsewhere(), { email: `${n}@example.com` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 503, 503, 503, 503]);
    expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('2');
    expect((await tryFrom(elsewhere(), { email: 'later@example.com' })).status).toBe(401);
  });
});
