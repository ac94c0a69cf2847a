// Hashing and checking passwords with argon2id, off the event loop and in a line of their own.
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { AuthOptions } from './auth-options.ts';
import { createHashQueue } from './hash-queue.ts';
import { isOverlong, normalizedPassword } from './password-rules.ts';

interface PasswordCheck {
  readonly password: string;
  readonly passwordHash: string | null | undefined;
  readonly clientIp: string;
}

/** Addresses take turns. All throw `unavailable` when too many wait already. */
export interface Passwords {
  hash(password: string, clientIp: string): Promise<string>;
  /** Takes the same time when there is no hash to compare with, so an absent account cannot be told from a wrong password. */
  verify(check: PasswordCheck): Promise<boolean>;
}

/** Whose turn it is when the service itself, or its operator, needs a hash. */
export const THE_SERVICE = 'service';

export function createPasswords(costs: AuthOptions['password_hash']): Passwords {
  // The package's default algorithm is argon2id.
  const options = {
    memoryCost: costs.memory_kib,
    timeCost: costs.iterations,
    parallelism: costs.parallelism,
  };
  const nobody = unmatchedHash(costs);
  const queue = createHashQueue(costs);
  return {
    hash: (password, clientIp) => queue.run(clientIp, () => hash(normalizedPassword(password), options)),
    async verify({ password, passwordHash, clientIp }) {
      const overlong = isOverlong(password);
      const shown = overlong ? '' : normalizedPassword(password);
      const matches = await queue.run(clientIp, () => verify(passwordHash ?? nobody, shown));
      return matches && !overlong && passwordHash !== null && passwordHash !== undefined;
    },
  };
}

/** A well-formed hash with the same costs that no password is known for. */
function unmatchedHash(costs: AuthOptions['password_hash']): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  const parameters = `m=${costs.memory_kib},t=${costs.iterations},p=${costs.parallelism}`;
  return `$argon2id$v=19$${parameters}$${base64(16)}$${base64(32)}`;
}
