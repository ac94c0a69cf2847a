// Waits out a database that does not answer, where nothing can be done without what is read.
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1_000;

/** The result of `read`, tried again while it throws `unavailable` and `mayGoOn` says so; else what it throws. */
export async function untilAvailable<T>(read: () => Promise<T>, mayGoOn: () => boolean): Promise<T> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LAST_PAUSE_MS)) {
    try {
      return await read();
    } catch (error) {
      const passing = error instanceof ServiceError && error.code === 'unavailable';
      if (!passing || !mayGoOn()) throw error;
    }
    await pause(wait);
  }
}
