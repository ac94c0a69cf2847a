// What runs that wait cost whoever takes up another: `node bench/claims.ts [database url]`. Without an address: SQLite on
// disk, then a database of its own on the Postgres server of the tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunClaim, RunShares } from '../src/storage/run-leases.ts';
import { openStorage } from '../src/storage/sql/open-storage.ts';
import type { Storage } from '../src/storage/storage.ts';
import { ANN, BOB, createThread, finishRun, sampleEvent, sampleRun } from '../test/storage/samples.ts';
import { openTestPostgres } from '../test/support/postgres.ts';
import { QUIET_LOG } from '../test/support/quiet-log.ts';
import { fillQueue } from './queued-runs.ts';
import { quantile } from './run-client.ts';

const WARM_UP = 60;
const TIMES = 60;
const ON_ONE_THREAD = 10_000;
const OF_ONE_USER = 50_000;
/** Ann has as many as she may; Bob has none. */
const FULL: RunShares = { perUser: 4, running: new Map([[ANN, 4]]), after: '' };

async function measure(url: string): Promise<void> {
  const storage = await openStorage({ url, log: QUIET_LOG });
  await storage.workers.register({ workerId: 'worker', leaseMs: 3_600_000 });
  process.stdout.write(`${url.split(':')[0]}\n`);
  const bench = new Claims(storage);
  for (let n = 0; n < WARM_UP; n += 1) await bench.round();
  await report('nothing waits', bench);
  await createThread(storage, ANN, 'long');
  await fillQueue(url, { userId: ANN, runs: ON_ONE_THREAD, threadId: `'long'` });
  await report(`${ON_ONE_THREAD} runs wait on one thread`, bench);
  await fillQueue(url, { userId: ANN, runs: OF_ONE_USER, threadId: `'thread-' || n` });
  await report(`and ${OF_ONE_USER} of one user on as many threads`, bench);
  await storage.close();
}

async function report(name: string, bench: Claims): Promise<void> {
  bench.times.clear();
  for (let n = 0; n < TIMES; n += 1) await bench.round();
  process.stdout.write(`  ${name}\n`);
  for (const [what, times] of bench.times) {
    const ms = times.toSorted((a, b) => a - b);
    process.stdout.write(
      `    ${what.padEnd(36)} ${quantile(ms, 0.5).toFixed(3)} ms, 95 %: ${quantile(ms, 0.95).toFixed(3)} ms\n`,
    );
  }
}

class Claims {
  readonly times = new Map<string, number[]>();
  readonly #storage: Storage;
  #count = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** A run of Bob that is asked for by its id, then one that is found; each ends before the next. */
  async round(): Promise<void> {
    const byId = await this.#admit();
    await this.#claim('claim by its id', 1, [byId]);
    await this.#claim('sweep that finds nothing', 4);
    await this.#admit();
    await this.#claim('sweep that finds a run', 4);
  }

  async #admit(): Promise<string> {
    this.#count += 1;
    const id = `bob-${this.#count}`;
    await createThread(this.#storage, BOB, id);
    const events = [sampleEvent({ id, type: 'human', content: 'hello' })];
    const run = sampleRun(id, id, { maxWaiting: 100_000, events, now: Date.now() });
    const { kind } = await this.#timed('admission', () => this.#storage.as(BOB).ahead.runs.admit(run));
    if (kind !== 'admitted') throw new Error(`not admitted: ${kind}`);
    return id;
  }

  async #claim(name: string, limit: number, runIds?: readonly string[]): Promise<void> {
    this.#count += 1;
    const claim: RunClaim = {
      workerId: 'worker',
      now: Date.now(),
      epoch: `e${this.#count}`,
      fencesExpired: true,
      suspects: { fromAttempt: 2, limit: 1 },
      shares: FULL,
    };
    const runs = await this.#timed(name, () => this.#storage.runLeases.claim(claim, limit, runIds));
    if (runs.length !== (name.endsWith('nothing') ? 0 : 1))
      throw new Error(`${runs.length} runs by a ${name}`);
    for (const run of runs) await finishRun(this.#storage, run);
  }

  async #timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    const result = await work();
    const times = this.times.get(name) ?? [];
    times.push(performance.now() - begin);
    this.times.set(name, times);
    return result;
  }
}

const [given] = process.argv.slice(2);
if (given === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'claims-'));
  await measure(`sqlite:${join(folder, 'service.db')}`);
  rmSync(folder, { recursive: true });
  const server = await openTestPostgres();
  await measure(server.url);
  await server.close();
} else await measure(given);
