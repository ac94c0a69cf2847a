// Limits how fast input from outside is taken: so much per interval, then the source must wait for the next.
import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 50;

/** Counts what was taken. Returns a promise when that is enough for now; continue when it resolves. */
export type Pace = (amount: number) => Promise<void> | undefined;

/** The amount can be of any unit. Intervals have 50 ms. */
export function createPace(mostAtOnce: number): Pace {
  let since = performance.now();
  let taken = 0;
  return (amount) => {
    if (performance.now() - since > INTERVAL_MS) {
      since = performance.now();
      taken = 0;
    }
    taken += amount;
    if (taken < mostAtOnce) return undefined;
    return pause(INTERVAL_MS, undefined, { ref: false });
  };
}
