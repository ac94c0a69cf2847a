// SIGTERM and SIGINT as promises. The first asks the service to stop, the second to stop immediately.

/** Two signals within this time count as one: npm forwards a Ctrl-C that the terminal also sends. */
const ONE_PRESS_MS = 250;

export type StopSignals = ReturnType<typeof stopSignals>;

export function stopSignals() {
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
