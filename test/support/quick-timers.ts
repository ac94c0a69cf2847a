// Timers whose time runs faster than the clock.
import { REAL_TIMERS, type Timers } from '../../src/timers.ts';

/** Runs this many milliseconds in a real one. On a busy machine timers fire late, and never early. */
export function quickTimers(factor: number): Timers {
  const { after, idlyAfter, every, soon, elapsed } = REAL_TIMERS;
  return {
    after: (ms, work) => after(ms / factor, work),
    idlyAfter: (ms, work) => idlyAfter(ms / factor, work),
    every: (ms, work) => every(ms / factor, work),
    soon,
    elapsed: () => elapsed() * factor,
  };
}
