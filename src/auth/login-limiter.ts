// Slows down password guessing: addresses are locked out, accounts get a growing delay
// (docs/contract/authentication.md#lockout).
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';

// Counts itself instead of using rate-limiter-flexible, whose memory store reads the clock and sets timers
// itself, so that tests could not control time. It also cannot count attempts that are still being checked.

/** One attempt to guess the password of an account. */
interface Guess {
  readonly clientIp: string;
  /** The e-mail as typed, whether or not the account exists, or another name for the target. */
  readonly account: string;
}

export type LoginLimiter = ReturnType<typeof createLoginLimiter>;

interface Count {
  failures: number;
  /** Attempts that are being checked now. Counting them keeps concurrent attempts within the limit. */
  checking: number;
  /** Epoch milliseconds at which the failures are forgotten. */
  forgetAt: number;
}

interface AddressCount extends Count {
  /** Failures for each account. */
  byAccount: Map<string, number>;
}

interface AccountCount extends Count {
  /** Epoch milliseconds before which no password is checked. */
  waitUntil: number;
}

const FIRST_DELAY_MS = 1_000;
/** The count of an account is reset after this long without failed attempts. */
const ACCOUNT_MEMORY_MS = 3_600_000;

export function createLoginLimiter(lockout: AuthOptions['lockout'], now: () => number = Date.now) {
  const addresses = createCounts<AddressCount>(lockout.max_addresses, now, () => ({
    ...fresh(),
    byAccount: new Map(),
  }));
  const accounts = createCounts<AccountCount>(lockout.max_addresses, now, () => ({
    ...fresh(),
    waitUntil: 0,
  }));
  /**
   * Addresses from which each account has signed in. The delay does not apply to them, so that distributed
   * guessing cannot lock the owner out. `max` instead of `maxSize` would allocate all entries up front.
   */
  const known = new LRUCache<string, true>({ maxSize: lockout.max_addresses, sizeCalculation: () => 1 });

  const delayMs = (failures: number): number => {
    if (failures < lockout.account_failures) return 0;
    const doublings = Math.min(failures - lockout.account_failures, 20);
    return Math.min(FIRST_DELAY_MS * 2 ** doublings, lockout.account_delay_seconds * 1000);
  };

  function refuseLocked(count: AddressCount): void {
    if (count.failures >= lockout.failures) throw tooMany('from this address', count.forgetAt - now());
    if (count.failures + count.checking >= lockout.failures)
      throw tooMany('from this address', FIRST_DELAY_MS);
  }

  function refuseDelayed(count: AccountCount): void {
    if (count.waitUntil > now()) throw tooMany('for this account', count.waitUntil - now());
    // Allows as many concurrent attempts as could fail in sequence without a delay, then one at a time.
    if (count.checking > 0 && count.failures + count.checking >= lockout.account_failures)
      throw tooMany('for this account', FIRST_DELAY_MS);
  }

  return {
    /**
     * Begins one password check. The caller reports the outcome once, unless work of the attempt fails. Throws
     * `too_many_attempts` while the address or account must wait.
     */
    begin({ clientIp, account: name }: Guess) {
      const [address, account] = [addressGroup(clientIp), accountKey(name)];
      const place = `${account} ${address}`;
      const here = addresses.get(address);
      const everywhere = accounts.get(account);
      refuseLocked(here);
      if (known.get(place) === undefined) refuseDelayed(everywhere);
      here.checking += 1;
      everywhere.checking += 1;
      const remember = (): void => {
        addresses.keep(address, here);
        accounts.keep(account, everywhere);
      };
      const over = (): void => {
        here.checking -= 1;
        everywhere.checking -= 1;
      };
      remember();
      return {
        /** Returns `'locked'` when this failure locks the address out. */
        failed(): 'counted' | 'locked' {
          over();
          here.failures += 1;
          here.byAccount.set(account, (here.byAccount.get(account) ?? 0) + 1);
          here.forgetAt = now() + lockout.seconds * 1000;
          everywhere.failures += 1;
          everywhere.waitUntil = now() + delayMs(everywhere.failures);
          everywhere.forgetAt = now() + ACCOUNT_MEMORY_MS;
          remember();
          return here.failures === lockout.failures ? 'locked' : 'counted';
        },
        /** Forgives only the failures for this account from this address. */
        succeeded(): void {
          over();
          const forgiven = here.byAccount.get(account) ?? 0;
          here.byAccount.delete(account);
          here.failures -= forgiven;
          everywhere.failures = Math.max(0, everywhere.failures - forgiven);
          known.set(place, true);
          remember();
        },
        /** Waits for work of the attempt. If it fails, the attempt ends without a verdict on the password. */
        during: <T>(work: Promise<T>): Promise<T> =>
          work.catch((error: unknown) => {
            over();
            remember();
            throw error;
          }),
      };
    },
  };
}

/** Forgets the count with the oldest attempt beyond `most`. */
function createCounts<C extends Count>(most: number, now: () => number, create: () => C) {
  const counts = new LRUCache<string, C>({ maxSize: most, sizeCalculation: () => 1 });
  return {
    /** Returns the current count without storing it. */
    get(key: string): C {
      const count = counts.peek(key);
      if (count === undefined) return create();
      if (count.forgetAt > now()) return count;
      // Attempts in progress remain counted.
      return Object.assign(count, create(), { checking: count.checking });
    },
    keep(key: string, count: C): void {
      if (count.failures === 0 && count.checking === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}

function fresh(): Count {
  return { failures: 0, checking: 0, forgetAt: 0 };
}

/** Returns a key of fixed size for any input. Memory holds no e-mails. */
function accountKey(name: string): string {
  return createHash('sha256').update(name.toLowerCase()).digest('base64url');
}

function tooMany(where: string, waitMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ServiceError(
    'too_many_attempts',
    `Too many failed sign-ins ${where}. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds: seconds },
  );
}
