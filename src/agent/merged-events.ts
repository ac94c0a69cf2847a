// Events of several tasks that run at the same time, as one sequence in the order in which they happen.

type Task<Event> = (emit: (event: Event) => void) => Promise<void>;

/** Starts all tasks at once and ends when the last one has ended. A task that throws ends the sequence with it. */
export async function* mergedEvents<Event>(tasks: readonly Task<Event>[]): AsyncGenerator<Event, void, void> {
  const queue: Event[] = [];
  let running = tasks.length;
  let failed: { readonly error: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  const emit = (event: Event): void => {
    queue.push(event);
    wake.resolve();
  };
  for (const task of tasks) {
    task(emit)
      .catch((error: unknown) => {
        failed ??= { error };
      })
      .finally(() => {
        running--;
        wake.resolve();
      });
  }
  while (running > 0 || queue.length > 0) {
    if (failed !== undefined) throw failed.error;
    const event = queue.shift();
    if (event !== undefined) {
      yield event;
      continue;
    }
    await wake.promise;
    wake = Promise.withResolvers<void>();
  }
  if (failed !== undefined) throw failed.error;
}
