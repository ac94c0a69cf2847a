// Long work in the thread of the service is done in pieces, so that others get their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work goes on for so long before others get their turn, in milliseconds. */
const WORKS_FOR_MS = 8;

/** Called between two pieces of work. A promise, when it is somebody else's turn: the work goes on when it resolves. */
export type Breath = () => Promise<void> | undefined;

/** For one piece of long work. What cannot be cut is begun after less work than others must wait for. */
export function createBreath(worksForMs = WORKS_FOR_MS): Breath {
  let began = performance.now();
  return () => {
    if (performance.now() - began < worksForMs) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}

/** Makes something of each item; others get their turn in between, and after the last one. */
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

/** A call that cannot be done in pieces is not begun after more work than this, and may itself take so long. */
export const LONG_CALL_MS = 4;

/** For a call that cannot be done in pieces: the promise resolves after others had their turn, when the call took long. */
export async function longCall<Result>(call: () => Result): Promise<Result> {
  const began = performance.now();
  const result = call();
  if (performance.now() - began > LONG_CALL_MS) await nextTurn();
  return result;
}
