// How fast something that comes from outside is taken: so much in one interval, and then it has to wait for the next.
import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 50;

/** Counts what was taken. A promise: that was enough for now, go on when it resolves. */
export type Pace = (amount: number) => Promise<void> | undefined;

/** Of whatever is counted, in intervals of 50 ms. */
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
