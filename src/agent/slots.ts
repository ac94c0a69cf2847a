// At most so many at the same time; the others wait in the order in which they came.

export interface Slots {
  /** Resolves when it is one's turn, with what gives the place back; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return give;
      }
      const turn = Promise.withResolvers<void>();
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(turn.resolve), 1);
        turn.reject(signal.reason);
      };
      waiting.push(turn.resolve);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await turn.promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
      return give;
    },
  };
}
