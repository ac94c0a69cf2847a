// SIGTERM and SIGINT as promises: the first asks the service to stop, the second to stop at once.

/** npm passes on a Ctrl-C that the terminal has sent to the service as well: two signals, one press. */
const ONE_PRESS_MS = 250;

export interface StopSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;
}

export function stopSignals(): StopSignals {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = (): void => {
    const at = performance.now();
    firstAt ??= at;
    first.resolve();
    if (at - firstAt > ONE_PRESS_MS) second.resolve();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return { first: first.promise, second: second.promise };
}
