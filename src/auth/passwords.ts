// Hashes and checks passwords with argon2id, off the event loop and in a separate queue.
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { type ServiceError, unavailable } from '../errors.ts';
import { createFairShare } from '../fair-share/fair-share.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';
import { isOverlong, normalizedPassword } from './password-rules.ts';

interface PasswordCheck {
  readonly password: string;
  readonly passwordHash: string | null | undefined;
  readonly clientIp: string;
}

export type Passwords = ReturnType<typeof createPasswords>;

/** The queue key for hashes that the service itself or its operator needs. */
export const THE_SERVICE = 'service';

/** Client addresses take turns. Both methods throw `unavailable` when too many calls are waiting. */
export function createPasswords(costs: AuthOptions['password_hash']) {
  // The package's default algorithm is argon2id.
  const options = {
    memoryCost: costs.memory_kib,
    timeCost: costs.iterations,
    parallelism: costs.parallelism,
  };
  const nobody = unmatchedHash(costs);
  const inTurn = createTurns(costs);
  return {
    hash: (password: string, clientIp: string): Promise<string> =>
      inTurn(clientIp, () => hash(normalizedPassword(password), options)),
    /** Takes the same time without a hash, so that response times do not reveal whether an account exists. */
    async verify({ password, passwordHash, clientIp }: PasswordCheck): Promise<boolean> {
      const overlong = isOverlong(password);
      const shown = overlong ? '' : normalizedPassword(password);
      const matches = await inTurn(clientIp, () => verify(passwordHash ?? nobody, shown));
      return matches && !overlong && passwordHash !== null && passwordHash !== undefined;
    },
  };
}

/** Returns a well-formed hash with the same costs that matches no known password. */
function unmatchedHash(costs: AuthOptions['password_hash']): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  const parameters = `m=${costs.memory_kib},t=${costs.iterations},p=${costs.parallelism}`;
  return `$argon2id$v=19$${parameters}$${base64(16)}$${base64(32)}`;
}

/**
 * Returns a function that does work in turn, because password hashes share their threads with all file access
 * of the service and must leave it some.
 */
function createTurns({ at_once: total, waiting: mostWaiting }: AuthOptions['password_hash']) {
  const places = createFairShare({
    total,
    perOwner: total,
    waitingPerOwner: mostWaiting,
    longestWaitMs: Number.POSITIVE_INFINITY,
  });
  /** Of all addresses, so that many of them cannot wait together. */
  let calls = 0;
  return async <Result>(clientIp: string, work: () => Promise<Result>): Promise<Result> => {
    if (calls >= total + mostWaiting) throw tooMany();
    calls += 1;
    try {
      const turn = await places.use(addressGroup(clientIp), new AbortController().signal, work);
      if (turn.kind === 'done') return turn.result;
    } finally {
      calls -= 1;
    }
    throw tooMany();
  };
}

function tooMany(): ServiceError {
  return unavailable('Too many people are signing in at the moment. Try again in a few seconds.');
}
