// Runs work with the same key one after the other, and with different keys concurrently.

export interface SerialQueue {
  /** Resolves or rejects as `work` does. A failure does not stop the work behind it. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export function createSerialQueue(): SerialQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: async (key, work) => {
      const before = last.get(key);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}
