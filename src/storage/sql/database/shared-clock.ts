// The time that all processes on a database share, without asking for it: what one writes another compares.

export interface SharedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  elapsed(): number;
  /** The database has said what time it is, when it was asked at `askedAt` (as `elapsed`). */
  heard(epochMs: number, askedAt: number): void;
}

/** Of a database on this machine: no other clock counts. */
export function machineClock(now: () => number): SharedClock {
  return { now, elapsed: () => performance.now(), heard: () => {} };
}

/**
 * Of a database with a clock of its own, which said `epochMs` just now. Between two of its answers time is measured with
 * `elapsed`, so that nothing follows from a clock of this machine that is wrong or set. The database said the time at some
 * moment between the question and the answer: the clock is set when it lies outside of these, and no farther, so each quick
 * answer makes it more exact and a slow one does no harm.
 */
export function clockOfDatabase(epochMs: number, elapsed: () => number): SharedClock {
  let ahead = epochMs - elapsed();
  return {
    now: () => Math.floor(elapsed() + ahead),
    elapsed,
    heard(said, askedAt) {
      const latest = said - askedAt;
      const earliest = said - elapsed();
      ahead = Math.min(Math.max(ahead, earliest), latest);
    },
  };
}
