// Chance that can be repeated: the same seed gives the same numbers.

export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** 0 to `count - 1`. */
  below(count: number): number;
  chance(probability: number): boolean;
  /** One of the list, which is not empty. */
  pick<T>(list: readonly T[]): T;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
  };
}
