// Locks a client address out after too many failed sign-ins (decisions, section 2, lockout).
import { ServiceError } from '../errors.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';

// Own counting instead of rate-limiter-flexible: its memory store reads the clock and sets timers itself, so a test
// could not own the time, and it has no place for attempts that are still being checked.

/** One sign-in that is being checked. Exactly one of its methods is called when the outcome is known. */
interface LoginAttempt {
  /** `'locked'` when this failure locks the address out. */
  failed(): 'counted' | 'locked';
  /** Clears the failures of the address. */
  succeeded(): void;
  /** The attempt says nothing about the password, because something else broke. */
  abandoned(): void;
}

export interface LoginLimiter {
  /** Called before the password is looked at. Throws `too_many_attempts` while the address is locked. */
  begin(clientIp: string): LoginAttempt;
}

interface Count {
  failures: number;
  /** Attempts being checked now: many at once must not slip past the limit. */
  checking: number;
  /** Epoch milliseconds at which the failures are forgotten. */
  forgetAt: number;
}

export function createLoginLimiter(
  lockout: AuthOptions['lockout'],
  now: () => number = Date.now,
): LoginLimiter {
  // Ordered by the latest attempt, so the first entry is the one to forget first.
  const counts = new Map<string, Count>();

  function current(key: string): Count {
    const count = counts.get(key) ?? { failures: 0, checking: 0, forgetAt: 0 };
    if (count.forgetAt <= now()) count.failures = 0;
    return count;
  }

  function remember(key: string, count: Count): void {
    counts.delete(key);
    if (count.failures === 0 && count.checking === 0) return;
    counts.set(key, count);
    if (counts.size <= lockout.max_addresses) return;
    const [oldest] = counts.keys();
    if (oldest !== undefined) counts.delete(oldest);
  }

  return {
    begin(clientIp) {
      const key = addressGroup(clientIp);
      const count = current(key);
      if (count.failures >= lockout.failures) throw lockedOut(Math.ceil((count.forgetAt - now()) / 1000));
      if (count.failures + count.checking >= lockout.failures) throw lockedOut(1);
      count.checking += 1;
      remember(key, count);
      return {
        failed() {
          count.checking -= 1;
          count.failures += 1;
          count.forgetAt = now() + lockout.seconds * 1000;
          remember(key, count);
          return count.failures === lockout.failures ? 'locked' : 'counted';
        },
        succeeded() {
          count.checking -= 1;
          count.failures = 0;
          remember(key, count);
        },
        abandoned() {
          count.checking -= 1;
          remember(key, count);
        },
      };
    },
  };
}

function lockedOut(seconds: number): ServiceError {
  return new ServiceError(
    'too_many_attempts',
    `Too many failed sign-ins from this address. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    { retryAfterSeconds: seconds },
  );
}
