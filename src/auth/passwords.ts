// Hashes and checks passwords with argon2id, off the event loop and in a separate queue.
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../errors.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';
import { isOverlong, normalizedPassword } from './password-rules.ts';

interface PasswordCheck {
  readonly password: string;
  readonly passwordHash: string | null | undefined;
  readonly clientIp: string;
}

/** Client addresses take turns. Both methods throw `unavailable` when too many calls are waiting. */
export interface Passwords {
  hash(password: string, clientIp: string): Promise<string>;
  /** Takes the same time without a hash, so that response times do not reveal whether an account exists. */
  verify(check: PasswordCheck): Promise<boolean>;
}

/** The queue key for hashes that the service itself or its operator needs. */
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

/** Returns a well-formed hash with the same costs that matches no known password. */
function unmatchedHash(costs: AuthOptions['password_hash']): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  const parameters = `m=${costs.memory_kib},t=${costs.iterations},p=${costs.parallelism}`;
  return `$argon2id$v=19$${parameters}$${base64(16)}$${base64(32)}`;
}

interface HashQueue {
  /**
   * Does the work when its turn comes. Addresses take turns; the work of one address is done in order. Throws
   * `unavailable` when too many calls are waiting.
   */
  run<T>(clientIp: string, work: () => Promise<T>): Promise<T>;
}

/** Password hashes share their threads with all file access of the service and must leave it some. */
function createHashQueue({
  at_once: atOnce,
  waiting: mostWaiting,
}: Pick<AuthOptions['password_hash'], 'at_once' | 'waiting'>): HashQueue {
  /** The address with the next turn comes first. */
  const lines = new Map<string, (() => void)[]>();
  let running = 0;
  let waiting = 0;

  function startNext(): void {
    const [next] = lines;
    if (next === undefined) return;
    const [address, line] = next;
    const start = line.shift();
    lines.delete(address);
    if (line.length > 0) lines.set(address, line);
    waiting -= 1;
    start?.();
  }

  async function turn(clientIp: string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (waiting >= mostWaiting)
      throw unavailable('Too many people are signing in at the moment. Try again in a few seconds.');
    const address = addressGroup(clientIp);
    const { promise, resolve } = Promise.withResolvers<void>();
    const line = lines.get(address) ?? [];
    line.push(resolve);
    lines.set(address, line);
    waiting += 1;
    await promise;
  }

  return {
    async run(clientIp, work) {
      await turn(clientIp);
      try {
        return await work();
      } finally {
        // The slot passes directly to the next waiter, so that no other caller can take it in between.
        if (waiting > 0) startNext();
        else running -= 1;
      }
    },
  };
}
