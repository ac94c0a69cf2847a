// The time that all processes on a database share, without a query each time. One process compares what
// another wrote.

export interface SharedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  elapsed(): number;
  /** Takes a time that the database reported, for a query sent at `askedAt` (as `elapsed`). */
  heard(epochMs: number, askedAt: number): void;
}

/** Returns the clock of a local database: the clock of this machine. */
export function machineClock(now: () => number): SharedClock {
  return { now, elapsed: () => performance.now(), heard: () => {} };
}

/**
 * Returns the clock of a database that has just reported `epochMs`. Between reports, time is measured with
 * `elapsed`, so that a wrong or adjusted clock of this machine has no effect. The database reported its time
 * at some moment between query and response. The clock is adjusted only as far as needed to lie within that
 * interval, so each fast response makes it more precise and a slow one does no harm.
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
