// Long work in the thread of the service is done in pieces, so that others get their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work goes on for so long before others get their turn, in milliseconds. */
const WORKS_FOR_MS = 8;

/** Called between two pieces of work. A promise, when it is somebody else's turn: the work goes on when it resolves. */
export type Breath = () => Promise<void> | undefined;

/** For one piece of long work. */
export function createBreath(): Breath {
  let began = performance.now();
  return () => {
    if (performance.now() - began < WORKS_FOR_MS) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
