// Slows the guessing of passwords down: an address is locked out, an account gets a growing delay (docs/contract/authentication.md#lockout).
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';

// Own counting instead of rate-limiter-flexible: its memory store reads the clock and sets timers itself, so a test
// could not own the time, and it has no place for attempts that are still being checked.

/** Who tries a password for whom. */
interface Guess {
  readonly clientIp: string;
  /** The e-mail as it was typed, whether there is such an account or not; or another name for what is guessed at. */
  readonly account: string;
}

/** One password that is being checked. Exactly one of its methods is called when the outcome is known. */
interface LoginAttempt {
  /** `'locked'` when this failure locks the address out. */
  failed(): 'counted' | 'locked';
  /** Forgives what was counted for this account at this address, and nothing else. */
  succeeded(): void;
  /** The attempt says nothing about the password, because something else broke. */
  abandoned(): void;
}

export interface LoginLimiter {
  /** Called before the password is checked. Throws `too_many_attempts` while the address or the account has to wait. */
  begin(guess: Guess): LoginAttempt;
}

interface Count {
  failures: number;
  /** Attempts being checked now: many at once must not slip past the limit. */
  checking: number;
  /** Epoch milliseconds at which the failures are forgotten. */
  forgetAt: number;
}

interface AddressCount extends Count {
  /** The failures by the account that they were about. */
  byAccount: Map<string, number>;
}

interface AccountCount extends Count {
  /** Epoch milliseconds before which no password is looked at. */
  waitUntil: number;
}

const FIRST_DELAY_MS = 1_000;
/** The count of an account without failed attempts for this long is reset. */
const ACCOUNT_MEMORY_MS = 3_600_000;

export function createLoginLimiter(
  lockout: AuthOptions['lockout'],
  now: () => number = Date.now,
): LoginLimiter {
  const addresses = createCounts<AddressCount>(lockout.max_addresses, now, () => ({
    ...fresh(),
    byAccount: new Map(),
  }));
  const accounts = createCounts<AccountCount>(lockout.max_addresses, now, () => ({
    ...fresh(),
    waitUntil: 0,
  }));
  /**
   * Where accounts have signed in from: there the delay does not hold, so that somebody who keeps guessing from all over
   * the world does not keep the owner out. A `max` in the place of `maxSize` would take the memory of all places at once.
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
    // As many at once as could fail one after the other without a delay, then one at a time.
    if (count.checking > 0 && count.failures + count.checking >= lockout.account_failures)
      throw tooMany('for this account', FIRST_DELAY_MS);
  }

  return {
    begin({ clientIp, account: name }) {
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
        failed() {
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
        succeeded() {
          over();
          const forgiven = here.byAccount.get(account) ?? 0;
          here.byAccount.delete(account);
          here.failures -= forgiven;
          everywhere.failures = Math.max(0, everywhere.failures - forgiven);
          known.set(place, true);
          remember();
        },
        abandoned() {
          over();
          remember();
        },
      };
    },
  };
}

interface Counts<C extends Count> {
  /** The count as it stands; not kept by that. */
  get(key: string): C;
  keep(key: string, count: C): void;
}

/** Ordered by the latest attempt, so that the first entry is the one to forget beyond the bound. */
function createCounts<C extends Count>(most: number, now: () => number, create: () => C): Counts<C> {
  const counts = new Map<string, C>();
  return {
    get(key) {
      const count = counts.get(key);
      if (count === undefined) return create();
      if (count.forgetAt > now()) return count;
      // What is being checked still is.
      return Object.assign(count, create(), { checking: count.checking });
    },
    keep(key, count) {
      counts.delete(key);
      if (count.failures === 0 && count.checking === 0) return;
      counts.set(key, count);
      if (counts.size <= most) return;
      const [oldest] = counts.keys();
      if (oldest !== undefined) counts.delete(oldest);
    },
  };
}

function fresh(): Count {
  return { failures: 0, checking: 0, forgetAt: 0 };
}

/** Of a fixed size, whatever was typed; the memory holds no e-mails. */
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
