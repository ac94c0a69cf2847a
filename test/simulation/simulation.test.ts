// Thousands of small worlds in which processes die, sleep and come back while clients come and go.
//
// SIMULATION_SEED=123 runs that seed alone, SIMULATION_SEEDS=100000 more of them.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { amount } from '../support/amount.ts';
import type { BrokenSeed } from './simulation-worker.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./simulation-worker.ts'));
const ONLY = process.env.SIMULATION_SEED;
/** `npm test` goes through the first of them, `npm run test:long` through the rest. */
const EVERYDAY = 50;
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? amount(EVERYDAY, 500 - EVERYDAY));
const FIRST = Number(ONLY ?? (process.env.SIMULATION_SEEDS === undefined ? amount(1, EVERYDAY + 1) : 1));
/**
 * Found something once, long after the others: a run that ended before the one before it, by a clock that was set back;
 * and a renewal that overtook the registration of its worker, which then looked fenced.
 */
const FOUND_LATE = [3_883, 8_682];
const WORKERS = 2;

async function brokenSeeds(from: number, to: number): Promise<readonly BrokenSeed[]> {
  const worker = new Worker(SCRIPT, { workerData: { from, to } });
  const broken: BrokenSeed[] = [];
  worker.on('message', (seed: BrokenSeed) => broken.push(seed));
  await once(worker, 'exit');
  return broken;
}

it('[fault.simulation] whatever dies, sleeps or fails, every run has one end and every client sees it', {
  timeout: 60_000 + SEEDS * 1_000,
}, async () => {
  const count = ONLY === undefined ? SEEDS : 1;
  const share = Math.ceil(count / WORKERS);
  const shares = Array.from({ length: Math.ceil(count / share) }, (_, index) => FIRST + index * share);
  const ranges = shares.map((from) => [from, Math.min(from + share, FIRST + count)] as const);
  if (ONLY === undefined) ranges.push(...FOUND_LATE.map((seed) => [seed, seed + 1] as const));
  const broken = await Promise.all(ranges.map(([from, to]) => brokenSeeds(from, to)));
  expect(broken.flat()).toEqual([]);
});
