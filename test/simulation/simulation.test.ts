// Thousands of small worlds in which processes die, sleep and come back while clients come and go.
//
// SIMULATION_SEED=123 runs that seed alone, SIMULATION_SEEDS=100000 more of them.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { BrokenSeed } from './simulation-worker.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./simulation-worker.ts'));
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 500);
const ONLY = process.env.SIMULATION_SEED;
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
  const first = ONLY === undefined ? 1 : Number(ONLY);
  const count = ONLY === undefined ? SEEDS : 1;
  const share = Math.ceil(count / WORKERS);
  const shares = Array.from({ length: Math.ceil(count / share) }, (_, index) => first + index * share);
  const broken = await Promise.all(
    shares.map((from) => brokenSeeds(from, Math.min(from + share, first + count))),
  );
  expect(broken.flat()).toEqual([]);
});
