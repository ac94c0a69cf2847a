// Wakes who follows a thread when a run is started on it, or when it is deleted.

export interface ThreadWatch {
  /** A run was accepted on the thread, or it was deleted. */
  moved(threadId: string): void;
  /** Any of that may have happened to every thread. */
  wakeAll(): void;
  /** For one reader: whoever watches must stop, or the thread is remembered for ever. */
  watch(threadId: string): ThreadWatcher;
}

interface ThreadWatcher {
  /** Resolves at the next of these. */
  changed(): Promise<void>;
  stop(): void;
}

interface Watched {
  readers: number;
  next: PromiseWithResolvers<void>;
}

export function createThreadWatch(): ThreadWatch {
  const watched = new Map<string, Watched>();
  const wake = (threadId: string): void => {
    const it = watched.get(threadId);
    if (it === undefined) return;
    it.next.resolve();
    it.next = Promise.withResolvers();
  };
  return {
    moved: wake,
    wakeAll() {
      for (const threadId of watched.keys()) wake(threadId);
    },
    watch(threadId) {
      const it = watched.get(threadId) ?? { readers: 0, next: Promise.withResolvers<void>() };
      watched.set(threadId, it);
      it.readers++;
      return {
        changed: () => it.next.promise,
        stop: () => {
          it.readers--;
          if (it.readers === 0) watched.delete(threadId);
        },
      };
    },
  };
}
