// How long a flush waits for more to write.

/** A flush costs a row and a packet for each of its runs, be there one token in them or three. */
const MS_PER_RUN = 0.04;
const MAX_MS = 20;
/** The same where somebody waits: nearly at once while few runs report, and together with others when many do. */
const HURRIED_MS_PER_RUN = 1;
/** Most threads are held for a moment. Runs of one that is held for longer are tried again after so long. */
const BLOCKED_MS = 50;
const QUICK_TRIES = 3;

interface FlushLoad {
  /** As configured: the shortest, where nobody waits. */
  readonly flushIntervalMs: number;
  /** How many runs the last flush was of. */
  readonly runs: number;
  readonly isHurried: boolean;
  /** How many flushes one after another left a run out because somebody held its thread. */
  readonly blockedFlushes: number;
}

/**
 * Milliseconds between two flushes. The more runs report at once, the more: 1,000 streams on one core must leave time to
 * read their models.
 */
export function flushInterval({ flushIntervalMs, runs, isHurried, blockedFlushes }: FlushLoad): number {
  const blocked = blockedFlushes > QUICK_TRIES ? BLOCKED_MS : 0;
  const usual = Math.max(flushIntervalMs, Math.min(MAX_MS, runs * MS_PER_RUN), blocked);
  return isHurried ? Math.min(usual, runs * HURRIED_MS_PER_RUN) : usual;
}
