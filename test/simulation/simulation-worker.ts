// Runs the simulations of some seeds in a thread of its own: `workerData` is `{from, to}`; every broken one is posted.
import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './simulation.ts';

/** A seed with what did not hold. */
export interface BrokenSeed {
  readonly seed: number;
  readonly broken: readonly string[];
}

// Long work gives others their turn by the clock of the machine. Here each look at it takes as long, so that the seed alone
// says whose turn it is, and one that is broken is broken again.
let looks = 0;
performance.now = () => looks++ * 0.5;

const { from, to }: { readonly from: number; readonly to: number } = workerData;
for (let seed = from; seed < to; seed++) {
  looks = 0;
  const broken = await simulate(seed);
  if (broken.length > 0) parentPort?.postMessage({ seed, broken } satisfies BrokenSeed);
}
