// Limits the number of registrations from one address in a period.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';

export type RegistrationLimiter = ReturnType<typeof createRegistrationLimiter>;

interface Attempts {
  count: number;
  /** Epoch milliseconds at which the attempts are forgotten. */
  readonly until: number;
}

export function createRegistrationLimiter(
  { per_address: most, seconds, max_addresses }: AuthOptions['registrations'],
  now: () => number = Date.now,
) {
  // `max` instead of `maxSize` would allocate all entries up front.
  const addresses = new LRUCache<string, Attempts>({ maxSize: max_addresses, sizeCalculation: () => 1 });
  return {
    /**
     * Counts an attempt whatever its outcome, since attempts can probe for taken e-mails. Throws
     * `too_many_attempts`.
     */
    count(clientIp: string): void {
      const address = addressGroup(clientIp);
      const known = addresses.get(address);
      const attempts =
        known !== undefined && known.until > now() ? known : { count: 0, until: now() + seconds * 1000 };
      if (attempts.count >= most) throw tooMany(Math.ceil((attempts.until - now()) / 1000));
      attempts.count += 1;
      addresses.set(address, attempts);
    },
  };
}

function tooMany(seconds: number): ServiceError {
  const minutes = Math.ceil(seconds / 60);
  return new ServiceError(
    'too_many_attempts',
    `Too many accounts were created from this address. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { retryAfterSeconds: seconds },
  );
}
