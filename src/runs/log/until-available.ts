// Waits out a database that does not answer, where nothing can be done without what is read.
import { ServiceError } from '../../errors.ts';
import { pause, type Timers } from '../../timers.ts';

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1_000;

interface Patience {
  readonly mayContinue: () => boolean;
  readonly timers: Timers;
}

/** The result of `read`, tried again while it throws `unavailable` and `mayGoOn` says so; else what it throws. */
export async function untilAvailable<T>(
  read: () => Promise<T>,
  { mayContinue, timers }: Patience,
): Promise<T> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LAST_PAUSE_MS)) {
    try {
      return await read();
    } catch (error) {
      const passing = error instanceof ServiceError && error.code === 'unavailable';
      if (!passing || !mayContinue()) throw error;
    }
    await pause(timers, wait);
  }
}
