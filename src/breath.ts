// Splits long work on the main thread into pieces, so that other work gets its turn.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work continues before other work gets its turn, in milliseconds. */
const WORKS_FOR_MS = 8;

/** Called between two pieces of work. Returns a promise to await when other work is due. */
export type Breath = () => Promise<void> | undefined;

/** Creates a `Breath` for one long piece of work. */
export function createBreath(worksForMs = WORKS_FOR_MS): Breath {
  let began = performance.now();
  return () => {
    if (performance.now() - began < worksForMs) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}

/** Applies `make` to each item. Other work gets its turn between items and after the last one. */
export async function inTurns<Item, Made>(
  items: Iterable<Item>,
  breath: Breath,
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    const wait = breath();
    if (wait !== undefined) await wait;
    made.push(make(item));
  }
  await breath();
  return made;
}

/** The time that an unsplittable call may take, and the most work before it, in milliseconds. */
export const LONG_CALL_MS = 4;

/** Makes a call that cannot be split. If it took long, resolves after other work had its turn. */
export async function longCall<Result>(call: () => Result): Promise<Result> {
  const began = performance.now();
  const result = call();
  if (performance.now() - began > LONG_CALL_MS) await nextTurn();
  return result;
}
