// Decides whether to retry something that keeps failing: after longer and longer times.

export interface Breaker {
  /** Returns why it must not be tried now; `undefined` when it may. */
  open(): string | undefined;
  /** Returns the reason of the last failure; `undefined` once it works again. */
  lastReason(): string | undefined;
  failed(reason: string): void;
  worked(): void;
}

const FIRST_MS = 30_000;
const LONGEST_MS = 600_000;

/** `patience`: the failures in a row after which it is not tried any more. */
export function createBreaker(patience: number, now: () => number): Breaker {
  let failures = 0;
  let until = 0;
  let last: string | undefined;
  return {
    open: () => (now() < until ? last : undefined),
    lastReason: () => last,
    failed(reason) {
      last = reason;
      failures++;
      if (failures >= patience) until = now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - patience));
    },
    worked() {
      failures = 0;
      until = 0;
      last = undefined;
    },
  };
}
