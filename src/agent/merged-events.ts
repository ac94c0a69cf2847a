// Events of several tasks that run at the same time, as one sequence in the order in which they happen.

/** Resolves when the event was taken and the reader wants the next one; rejects when there is no reader any more. */
export type Emit<Event> = (event: Event) => Promise<void>;

interface Emitted<Event> {
  readonly event: Event;
  readonly taken: PromiseWithResolvers<void>;
}

/**
 * Starts the tasks in their order, so many at once, and ends when the last one has ended. A task that throws ends the
 * sequence with it.
 */
export async function* mergedEvents<Event>(
  tasks: readonly ((emit: Emit<Event>) => Promise<void>)[],
  atOnce: number,
): AsyncGenerator<Event, void, void> {
  const queue: Emitted<Event>[] = [];
  const waiting = tasks.values();
  let running = 0;
  let failed: { readonly error: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  let isRead = true;
  const emit: Emit<Event> = (event) => {
    if (!isRead) return Promise.reject(new NoReaderError());
    const taken = Promise.withResolvers<void>();
    queue.push({ event, taken });
    wake.resolve();
    return taken.promise;
  };
  const startNext = (): void => {
    const task = isRead && failed === undefined ? waiting.next().value : undefined;
    if (task === undefined) return;
    running++;
    task(emit)
      .catch((error: unknown) => {
        failed ??= { error };
      })
      .finally(() => {
        running--;
        startNext();
        wake.resolve();
      });
  };
  for (let started = 0; started < atOnce; started++) startNext();
  try {
    while (running > 0 || queue.length > 0) {
      if (failed !== undefined) throw failed.error;
      const next = queue[0];
      if (next === undefined) {
        await wake.promise;
        wake = Promise.withResolvers<void>();
        continue;
      }
      yield next.event;
      queue.shift();
      next.taken.resolve();
    }
    if (failed !== undefined) throw failed.error;
  } finally {
    isRead = false;
    for (const { taken } of queue) taken.reject(new NoReaderError());
  }
}

class NoReaderError extends Error {
  override readonly name = 'NoReaderError';
}
