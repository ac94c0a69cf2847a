// A stopwatch for bounds in seconds, which pauses while the machine does not run this process.

const TICK_MS = 10;

/**
 * Starts a stopwatch; the returned function stops it and returns the milliseconds. Waiting counts, and so
 * does the CPU time of this process. A late tick counts as at most two ticks and the CPU time used in it.
 */
export function ownTime(): () => number {
  let total = 0;
  let lastAt = performance.now();
  let lastUse = process.cpuUsage();
  const count = (): void => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(lastUse);
    total += Math.min(now - lastAt, 2 * TICK_MS + (user + system) / 1_000);
    lastAt = now;
    lastUse = process.cpuUsage();
  };
  const ticking = setInterval(count, TICK_MS);
  return () => {
    clearInterval(ticking);
    count();
    return total;
  };
}
