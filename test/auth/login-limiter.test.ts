// The limiter's memory.
import { expect, it } from 'vitest';
import { createLoginLimiter } from '../../src/auth/login-limiter.ts';

const now = () => 0;

it('[auth.login.lockout.bounded] the oldest addresses are forgotten beyond the bound', () => {
  const limiter = createLoginLimiter({ failures: 1, seconds: 300, max_addresses: 100 }, now);
  limiter.begin('192.0.2.1').failed();
  expect(() => limiter.begin('192.0.2.1')).toThrow(/Try again in 300 seconds/);
  for (let count = 0; count < 100; count += 1) limiter.begin(`198.51.100.${count}`).failed();
  expect(() => limiter.begin('192.0.2.1')).not.toThrow();
  expect(() => limiter.begin('198.51.100.99')).toThrow(/Too many failed sign-ins/);
});

it('an attempt that broke for another reason counts as nothing', () => {
  const limiter = createLoginLimiter({ failures: 1, seconds: 300, max_addresses: 100 }, now);
  limiter.begin('192.0.2.1').abandoned();
  const second = limiter.begin('192.0.2.1');
  expect(() => limiter.begin('192.0.2.1')).toThrow(/Try again in 1 second\./);
  second.succeeded();
  expect(() => limiter.begin('192.0.2.1')).not.toThrow();
});
