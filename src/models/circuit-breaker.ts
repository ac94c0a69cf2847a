// Stops calling a model that fails repeatedly, and tries it with one call at a time before all calls return.

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;
export type Passage = NonNullable<ReturnType<CircuitBreaker['enter']>>;

/** Failures in a row after which the model rests. */
const FAILURES = 3;
/** Milliseconds until one call may try it again. */
const REST_MS = 30_000;

export function createCircuitBreaker(now: () => number = Date.now) {
  let failed = 0;
  let restsUntil = 0;
  let isProbed = false;

  const passage = (isProbe: boolean) => {
    let isSettled = false;
    const settle = (change: () => void) => (): void => {
      if (isSettled) return;
      isSettled = true;
      if (isProbe) isProbed = false;
      change();
    };
    return {
      succeeded: settle(() => {
        failed = 0;
      }),
      failed: settle(() => {
        failed += 1;
        if (failed >= FAILURES) restsUntil = now() + REST_MS;
      }),
      /** The call says nothing about the model: it was aborted, or its request was at fault. */
      released: settle(() => {}),
    };
  };
  return {
    /** Returns `undefined` while the model rests. The caller settles its passage once; repeats do nothing. */
    enter() {
      if (failed < FAILURES) return passage(false);
      if (isProbed || now() < restsUntil) return undefined;
      isProbed = true;
      return passage(true);
    },
  };
}
