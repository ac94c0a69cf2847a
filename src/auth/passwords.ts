// Hashing and checking passwords with argon2id, off the event loop.
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { AuthOptions } from './auth-options.ts';
import { isOverlong, normalizedPassword } from './password-rules.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time when there is no hash to compare with, so an absent account cannot be told from a wrong password. */
  verify(password: string, passwordHash: string | null | undefined): Promise<boolean>;
}

export function createPasswords(costs: AuthOptions['password_hash']): Passwords {
  // The package's default algorithm is argon2id.
  const options = {
    memoryCost: costs.memory_kib,
    timeCost: costs.iterations,
    parallelism: costs.parallelism,
  };
  const nobody = unmatchedHash(costs);
  return {
    hash: (password) => hash(normalizedPassword(password), options),
    async verify(password, passwordHash) {
      const overlong = isOverlong(password);
      const matches = await verify(passwordHash ?? nobody, overlong ? '' : normalizedPassword(password));
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
