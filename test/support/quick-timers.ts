// Timers by which time passes faster than it does.
import { REAL_TIMERS, type Timers } from '../../src/timers.ts';

/** So many milliseconds of these pass in one. On a machine that is busy timers go off late, and never early. */
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
