// SIGTERM and SIGINT as promises: the first asks the service to stop, the second to stop at once.

export interface StopSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;
}

export function stopSignals(): StopSignals {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = (): void => {
    count++;
    (count === 1 ? first : second).resolve();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return { first: first.promise, second: second.promise };
}
