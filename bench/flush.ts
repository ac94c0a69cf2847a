// What one flush of many streaming runs takes in the database: `node bench/flush.ts [runs] [database url]`. Without an
// address: SQLite on disk, then a database of its own on the Postgres server of the tests, both with fsync.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { RunRecord } from '../src/storage/runs.ts';
import { openStorage } from '../src/storage/sql/open-storage.ts';
import type { Storage } from '../src/storage/storage.ts';
import { ANN, createThread, sampleChange, sampleRun, startRunOn } from '../test/storage/samples.ts';
import { openTestPostgres } from '../test/support/postgres.ts';
import { QUIET_LOG } from '../test/support/quiet-log.ts';
import { quantile } from './run-client.ts';

const WORKER = 'worker';
const WARM_UP = 30;
const TIMES = 100;
/** What a run says in 33 ms, as its frame. */
const SAID = JSON.stringify([
  { event: 'messages', data: [{ content: 'light', id: 'message' }, { step: 1 }] },
]);
/** What is in the log for a second goes to the rows of its run: of 1,000 runs and 30 flushes a second, so many a flush. */
const SORTED = 32;

async function measure(url: string, runs: number): Promise<void> {
  const storage = await openStorage({ url, log: QUIET_LOG });
  try {
    const flushes = new Flushes(storage, await startRuns(storage, runs));
    for (let n = 0; n < WARM_UP; n++) await flushes.next(n % 2 === 0 ? SORTED : 0);
    process.stdout.write(`${url.split(':')[0]}, ${runs} runs, until it is on the disk\n`);
    for (const [kind, sorted] of [
      ['log only', 0],
      [`${SORTED} runs sorted`, SORTED],
    ] as const) {
      const times: number[] = [];
      for (let n = 0; n < TIMES; n++) times.push(await flushes.next(sorted));
      const ms = times.toSorted((a, b) => a - b);
      const [p50, p95] = [quantile(ms, 0.5), quantile(ms, 0.95)];
      process.stdout.write(`  ${kind.padEnd(16)} ${p50.toFixed(2)} ms, 95 %: ${p95.toFixed(2)} ms\n`);
    }
  } finally {
    await storage.close();
  }
}

async function startRuns(storage: Storage, count: number): Promise<readonly RunRecord[]> {
  await storage.workers.register({ workerId: WORKER, leaseMs: 3_600_000 });
  const started: RunRecord[] = [];
  for (let n = 0; n < count; n++) {
    await createThread(storage, ANN, `thread-${n}`);
    started.push(await startRunOn(storage, ANN, sampleRun(`run-${n}`, `thread-${n}`)));
  }
  return started;
}

class Flushes {
  readonly #storage: Storage;
  readonly #runs: readonly RunRecord[];
  #flush = 0;

  constructor(storage: Storage, runs: readonly RunRecord[]) {
    this.#storage = storage;
    this.#runs = runs;
  }

  /** Milliseconds of a flush in which every run says something, and so many have their turn to be sorted. */
  async next(sorted: number): Promise<number> {
    this.#flush += 1;
    const flush = this.#flush;
    const frames = { firstSeq: flush, lastSeq: flush, attempt: 1, events: SAID };
    const from = (flush * SORTED) % Math.max(1, this.#runs.length - SORTED);
    const chosen = new Set(this.#runs.slice(from, from + sorted));
    const changes = [...chosen].map((run) => sampleChange(run, { frames }));
    const others = this.#runs.filter((run) => !chosen.has(run));
    const pieces = others.map(({ runId }) => ({ runId, ...frames }));
    const begin = performance.now();
    const log = { workerId: WORKER, flush, after: flush - 1, pieces };
    const { lost, blocked } = await this.#storage.runCommits.commit(changes, Date.now(), log);
    await this.#storage.runCommits.onDisk();
    const took = performance.now() - begin;
    if (lost.length + blocked.length > 0) throw new Error('The flush did not write all of it.');
    return took;
  }
}

const [count = '1000', given] = process.argv.slice(2);
if (given === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'flush-'));
  await measure(`sqlite:${join(folder, 'service.db')}`, Number(count));
  rmSync(folder, { recursive: true });
  const server = await openTestPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`alter database ${new URL(server.url).pathname.slice(1)} set synchronous_commit to on`);
  await client.end();
  await measure(server.url, Number(count));
  await server.close();
} else await measure(given, Number(count));
