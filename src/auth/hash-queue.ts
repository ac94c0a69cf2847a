// The line in front of the password hashes: they share their threads with all files of the service, and must leave it some.
import { unavailable } from '../errors.ts';
import type { AuthOptions } from './auth-options.ts';
import { addressGroup } from './client-ip.ts';

export interface HashQueue {
  /**
   * Does the work when it is its turn: addresses take turns, and what one of them asks for is done in its order. Throws
   * `unavailable` when too many wait already.
   */
  run<T>(clientIp: string, work: () => Promise<T>): Promise<T>;
}

export function createHashQueue({
  at_once: atOnce,
  waiting: mostWaiting,
}: Pick<AuthOptions['password_hash'], 'at_once' | 'waiting'>): HashQueue {
  /** The address whose turn is next comes first. */
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
        // Whoever is next takes the place over, so that nobody slips in between.
        if (waiting > 0) startNext();
        else running -= 1;
      }
    },
  };
}
