// The memory of the limiter, and its treatment of accounts.
import { describe, expect, it } from 'vitest';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { createLoginLimiter } from '../../src/auth/login-limiter.ts';

const ANN = 'ann@example.com';
const lockout = authOptionsSchema.shape.lockout.parse({ failures: 1, max_addresses: 100 });
const from = (clientIp: string, account = ANN) => ({ clientIp, account });

describe('memory', () => {
  it('[auth.login.lockout.bounded] the oldest addresses are forgotten beyond the bound', () => {
    const limiter = createLoginLimiter(lockout, () => 0);
    const guess = (clientIp: string) => limiter.begin(from(clientIp, `${clientIp}@example.com`));
    guess('192.0.2.1').failed();
    expect(() => guess('192.0.2.1')).toThrow(/Try again in 300 seconds/);
    for (let count = 0; count < 100; count += 1) guess(`198.51.100.${count}`).failed();
    expect(() => guess('192.0.2.1')).not.toThrow();
    expect(() => guess('198.51.100.99')).toThrow(/Too many failed sign-ins/);
  });

  it('[auth.login.delay.bounded] the oldest accounts are forgotten beyond the bound', () => {
    const limiter = createLoginLimiter({ ...lockout, account_failures: 1 }, () => 0);
    const hosts = Array.from({ length: 200 }, (_, n) => `10.0.0.${n}`);
    const guess = (email: string) => limiter.begin(from(hosts.pop() ?? '', email));
    guess(ANN).failed();
    expect(() => guess(ANN)).toThrow(/for this account/);
    for (let count = 0; count < 100; count += 1) guess(`somebody-${count}@example.com`).failed();
    expect(() => guess(ANN)).not.toThrow();
  });

  it('an attempt that failed for another reason does not count', async () => {
    const limiter = createLoginLimiter(lockout, () => 0);
    const failing = limiter.begin(from('192.0.2.1')).during(Promise.reject(new Error('no database')));
    await expect(failing).rejects.toThrow('no database');
    const second = limiter.begin(from('192.0.2.1'));
    expect(() => limiter.begin(from('192.0.2.1'))).toThrow(/Try again in 1 second\./);
    second.succeeded();
    expect(() => limiter.begin(from('192.0.2.1'))).not.toThrow();
  });
});
