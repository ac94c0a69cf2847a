// Runs pieces of work with the same key one after the other, and different keys side by side.

export interface SerialQueue {
  /** Resolves or rejects as `work` does; a failure does not stop the ones behind it. */
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
