// How many documents are converted at the same time; the others wait for their turn.

export interface ConversionPlaces {
  /**
   * Does the work when there is a place. `undefined`, without the work: it was aborted before, or no place came free
   * within `waitMs`.
   */
  use<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result | undefined>;
}

export function createConversionPlaces(places: number, waitMs: number): ConversionPlaces {
  let free = places;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    free += 1;
    const [next] = waiting;
    next?.();
  };
  const enter = (signal: AbortSignal): Promise<boolean> => {
    if (signal.aborted) return Promise.resolve(false);
    if (free > 0) {
      free -= 1;
      return Promise.resolve(true);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const end = (has: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      waiting.delete(take);
      resolve(has);
    };
    const take = (): void => {
      free -= 1;
      end(true);
    };
    const giveUp = (): void => end(false);
    const timer = setTimeout(giveUp, waitMs);
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.add(take);
    return promise;
  };
  return {
    async use(signal, work) {
      if (!(await enter(signal))) return undefined;
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
