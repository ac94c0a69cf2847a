// Waits out an unavailable database where the caller cannot continue without the result.
import { ServiceError } from '../../errors.ts';
import { pause, type Timers } from '../../timers.ts';

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1_000;

interface Patience {
  readonly timers: Timers;
  /** Absent: it takes as long as it takes. */
  readonly mayContinue?: () => boolean;
  /** Called before each pause. */
  readonly onWait?: (error: unknown) => void;
}

/** Returns the result of `read`, retried while it throws `unavailable` and `mayContinue` is true. */
export async function untilAvailable<T>(
  read: () => Promise<T>,
  { timers, mayContinue = () => true, onWait }: Patience,
): Promise<T> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LAST_PAUSE_MS)) {
    try {
      return await read();
    } catch (error) {
      const passing = error instanceof ServiceError && error.code === 'unavailable';
      if (!passing || !mayContinue()) throw error;
      onWait?.(error);
    }
    await pause(timers, wait);
  }
}
