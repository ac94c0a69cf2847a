// Turns on one connection: first come, first served.

export interface Turns {
  /** Waits until no other caller has the turn. Each `take` needs a `give`. */
  take(): Promise<void>;
  give(): void;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    take: async () => {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken = true;
    },
    give: () => {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
  };
}
