// Decides whether to retry something that keeps failing: after longer and longer times.

export type Breaker = ReturnType<typeof createBreaker>;

const FIRST_MS = 30_000;
const LONGEST_MS = 600_000;

/** `patience`: the failures in a row after which it is not tried any more. */
export function createBreaker(patience: number, now: () => number) {
  let failures = 0;
  let until = 0;
  let last: string | undefined;
  return {
    /** Returns why it must not be tried now; `undefined` when it may. */
    open: (): string | undefined => (now() < until ? last : undefined),
    /** Returns the reason of the last failure; `undefined` once it works again. */
    lastReason: (): string | undefined => last,
    failed(reason: string): void {
      last = reason;
      failures++;
      if (failures >= patience) until = now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - patience));
    },
    worked(): void {
      failures = 0;
      until = 0;
      last = undefined;
    },
  };
}
