// The cost of a claim, counted by Postgres: it does not depend on how many runs wait.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunShares } from '../../src/storage/run-leases.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { ANN, BOB, claimRuns, createThread, finishRun, sampleRun } from './samples.ts';

/** That many on one thread, and that many on threads of their own. */
const WAITING = 3_000;
/** Ann runs as many as she may, and all waiting runs are hers. */
const FULL: RunShares = { perUser: 1, running: new Map([[ANN, 1]]), after: '' };
const shared = {
  workerId: 'w',
  shares: FULL,
  suspects: { fromAttempt: 2, limit: 1 },
  fencesExpired: true,
};

describe('with thousands of waiting runs of another user', () => {
  let server: TestPostgres;
  let client: pg.Client;
  beforeAll(async () => {
    server = await openTestPostgres();
    await (await openStorage({ url: server.url, log: QUIET_LOG })).close();
    client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const threadId of [`'long'`, `'thread-' || n`]) {
      await client.query(`insert into threads (thread_id, user_id, status, created_at, updated_at, metadata)
        select distinct ${threadId}, '${ANN}', 'busy', 1, 1, '{}' from generate_series(1, ${WAITING}) as n`);
      await client.query(`insert into runs (run_id, thread_id, user_id, assistant_id, status, attempt, multitask_strategy,
          created_at, updated_at, token_usage_by_model, metadata, kwargs, frames_pruned, is_first)
        select ${threadId} || '-' || n, ${threadId}, '${ANN}', 'lead_agent', 'pending', 0, 'enqueue', n, n, '{}', '{}',
          '{}', 0, case when ${threadId} = 'long' and n > 1 then 0 else 1 end from generate_series(1, ${WAITING}) as n`);
    }
    await client.query('analyze');
  });
  afterAll(async () => {
    await client.end();
    await server.close();
  });

  /**
   * Returns the rows and index entries of runs that were read. A connection reports its reads when it ends.
   */
  async function readBy(work: (storage: Storage) => Promise<void>): Promise<number> {
    const before = await readSoFar();
    const storage = await openStorage({ url: server.url, log: QUIET_LOG });
    await work(storage);
    await storage.close();
    const others = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`;
    await expect.poll(async () => (await client.query(others)).rowCount).toBe(0);
    return (await readSoFar()) - before;
  }

  async function readSoFar(): Promise<number> {
    const { rows } = await client.query<{ read: string }>(`select seq_tup_read + (
        select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'runs'
      ) as read from pg_stat_user_tables where relname = 'runs'`);
    return Number(rows[0]?.read);
  }

  /** Starts a run that is claimed with its admission, or found by a claim. */
  async function startRun(storage: Storage, runId: string, isClaimed: boolean): Promise<RunRecord> {
    await createThread(storage, BOB, runId);
    const claim = { workerId: 'w', epoch: runId, hasPlaceFor: () => isClaimed };
    const admission = await storage.as(BOB).runs.admit(sampleRun(runId, runId), claim);
    const found = await claimRuns(storage, shared);
    expect(found.map((run) => run.runId)).toEqual(isClaimed ? [] : [runId]);
    const run = admission.kind === 'admitted' ? (admission.claimed ?? found[0]) : undefined;
    if (run === undefined) throw new Error('not claimed');
    return run;
  }

  it('[leases.claim.cost] a run starts, is found and ends at the cost of a few index entries', async () => {
    const read = await readBy(async (storage) => {
      await claimRuns(storage, shared);
      for (let n = 0; n < 10; n += 1)
        await finishRun(storage, await startRun(storage, `bob-${n}`, n % 2 === 0));
    });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(WAITING / 2);
  });
});
