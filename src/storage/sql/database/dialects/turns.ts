// Turns on one connection: first come, first served.

export function createTurns() {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    /** Waits until no other caller has the turn. Each `take` needs a `give`. */
    take: async (): Promise<void> => {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken = true;
    },
    give: (): void => {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;
