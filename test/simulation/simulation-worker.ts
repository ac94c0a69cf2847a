// Runs the simulations of some seeds in a thread of its own: `workerData` is `{from, to}`; every broken one is posted.
import { parentPort, workerData } from 'node:worker_threads';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { simulate } from './simulation.ts';

/** A seed with what did not hold. */
export interface BrokenSeed {
  readonly seed: number;
  readonly broken: readonly string[];
}

/** The database grows with every simulation, and so does what each statement costs. */
const SEEDS_PER_DATABASE = 10;

const { from, to }: { readonly from: number; readonly to: number } = workerData;
for (let first = from; first < to; first += SEEDS_PER_DATABASE) {
  const storage = await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG });
  for (let seed = first; seed < Math.min(to, first + SEEDS_PER_DATABASE); seed++) {
    const broken = await simulate(seed, storage);
    if (broken.length > 0) parentPort?.postMessage({ seed, broken } satisfies BrokenSeed);
  }
  await storage.close();
}
