// So many attempts per address and minute. In memory: a restart forgets, and each process counts for itself.
import type { Context } from 'hono';
import type { ClientAddress } from '../../http/client-address.ts';
import { ApiError } from '../errors.ts';

const ATTEMPTS = 10;
const WINDOW_MS = 60_000;

/** Counts an attempt of the client. Throws 429 with `Retry-After` if it exceeds the limit. */
export type AttemptLimit = (c: Context) => void;

export function createAttemptLimit(clientAddress: ClientAddress, now: () => number = Date.now): AttemptLimit {
  const windows = new Map<string, { count: number; endsAt: number }>();
  return (c) => {
    const address = clientAddress(c);
    const open = windows.get(address);
    const window = open !== undefined && open.endsAt > now() ? open : { count: 0, endsAt: now() + WINDOW_MS };
    window.count += 1;
    windows.set(address, window);
    // Expired entries are removed, so that the map stays small.
    if (window.count === 1) for (const [key, { endsAt }] of windows) if (endsAt <= now()) windows.delete(key);
    if (window.count <= ATTEMPTS) return;
    const seconds = Math.ceil((window.endsAt - now()) / 1000);
    const headers = { 'retry-after': String(seconds) };
    throw new ApiError(429, `Too many attempts. Try again in ${seconds} seconds.`, { headers });
  };
}
