// A stopwatch for bounds in seconds: it stands still while the machine lets this process do nothing.

const TICK_MS = 10;

/**
 * Starts it; the answer stops it and tells the milliseconds. What is waited through counts, and so does what this
 * process computes. A tick that is late for no reason of its own counts as one tick, however late it is.
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
