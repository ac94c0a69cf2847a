// How long a flush waits for more events.

/** A flush costs a row and a packet per run, whether it carries one token or three. */
const MS_PER_RUN = 0.04;
const MAX_MS = 20;
/** The same while a caller waits: nearly immediate while few runs report, batched when many do. */
const HURRIED_MS_PER_RUN = 1;
/** Most threads are locked for a moment. Runs of a thread locked for longer are retried at this interval. */
const BLOCKED_MS = 50;
const QUICK_TRIES = 3;

interface FlushLoad {
  /** The configured interval: the shortest one while no caller waits. */
  readonly flushIntervalMs: number;
  /** The number of runs in the last flush. */
  readonly runs: number;
  readonly isHurried: boolean;
  /** How many consecutive flushes skipped a run because its thread was locked. */
  readonly blockedFlushes: number;
}

/**
 * Returns the milliseconds between two flushes, which grow with the number of reporting runs: 1,000 streams
 * on one core must leave time to read from their models.
 */
export function flushInterval({ flushIntervalMs, runs, isHurried, blockedFlushes }: FlushLoad): number {
  const blocked = blockedFlushes > QUICK_TRIES ? BLOCKED_MS : 0;
  const usual = Math.max(flushIntervalMs, Math.min(MAX_MS, runs * MS_PER_RUN), blocked);
  return isHurried ? Math.min(usual, runs * HURRIED_MS_PER_RUN) : usual;
}
