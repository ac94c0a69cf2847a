// The database fails for a moment, or refuses the events of one run: the run still ends once.
import { afterEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import type { AdmittedRun, RunRepository } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { withAhead } from '../support/with-ahead.ts';

let test: TestService;
afterEach(() => test.close());

async function openWith(change: (storage: Storage) => Partial<Storage>): Promise<void> {
  const real = await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG });
  const storage = { ...real, ...change(real) };
  test = await openTestService({ overrides: { storage }, config: { runs: { lease_renewal_ms: 20 } } });
}

/** Asks one question and returns the events and the record of its run. */
async function run(says: string): Promise<{ readonly events: readonly string[]; readonly run: RunJson }> {
  test.model.onRequest(() => answer.text(says));
  const client = await test.user();
  const threadId = await newThread(client);
  const frames = await streamed(client, threadId, question('hi'));
  const [record] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
  if (record === undefined) throw new Error('There is no run.');
  return { events: frames.map(({ event }) => event), run: record };
}

const down = () => Promise.reject(unavailable('The database does not answer.'));

describe('a database that does not respond for a moment', () => {
  /** Returns a change of the storage that replaces how runs are admitted. */
  const admitting =
    (change: (admit: RunRepository['admit']) => RunRepository['admit']) =>
    (real: Storage): Pick<Storage, 'as'> => ({
      as: (owner) =>
        withAhead(real.as(owner), (own) => ({
          ...own,
          runs: { ...own.runs, admit: change(own.runs.admit) },
        })),
    });

  it('[runs.log.outage] a waiting run that cannot be claimed is claimed a little later', async () => {
    let failures = 1;
    await openWith((real) => ({
      ...admitting((admit) => (newRun) => admit(newRun))(real),
      runLeases: {
        ...real.runLeases,
        claim: (claim, limit, runIds) =>
          runIds !== undefined && failures-- > 0 ? down() : real.runLeases.claim(claim, limit, runIds),
      },
    }));
    expect((await run('fine')).run).toMatchObject({ status: 'success', attempt: 1 });
    expect(failures).toBeLessThan(1);
  });

  it('[runs.log.outage] a run that was claimed with its admission survives the loss of the result', async () => {
    let claimed: AdmittedRun['claimed'];
    await openWith(
      admitting((admit) => async (...admission) => {
        const admitted = await admit(...admission);
        if (admitted.kind !== 'admitted' || claimed !== undefined) return admitted;
        claimed = admitted.claimed;
        return down();
      }),
    );
    test.model.onRequest(() => answer.text('fine'));
    const client = await test.user();
    const threadId = await newThread(client);
    const refused = await client.post(`/api/graph/threads/${threadId}/runs`, question('hi'));
    expect(refused.status).toBe(503);
    expect(claimed).toMatchObject({ status: 'running', attempt: 1 });
    const runs = () => jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=9`));
    await expect.poll(runs).toMatchObject([{ run_id: claimed?.runId, status: 'success', attempt: 1 }]);
    expect(test.model.requests).toHaveLength(1);
  });

  it('[runs.log.outage] an admitted run waits for a database that cannot read its thread', async () => {
    let failures = 0;
    let failed = 0;
    await openWith((real) => ({
      as: (owner) =>
        withAhead(real.as(owner), (own) => ({
          ...own,
          runs: {
            ...own.runs,
            admit: async (...admission) => {
              const admitted = await own.runs.admit(...admission);
              failures = 3;
              return admitted;
            },
          },
          checkpoints: {
            ...own.checkpoints,
            current: (threadId) => {
              if (failures-- <= 0) return own.checkpoints.current(threadId);
              failed += 1;
              return down();
            },
          },
        })),
    }));
    expect((await run('fine')).run).toMatchObject({ status: 'success', attempt: 1 });
    expect(failed).toBe(3);
  });
});

describe('a run whose events cannot be written', () => {
  const refusing = (times: number) => (real: Storage) => {
    let refusals = times;
    return {
      runCommits: {
        ...real.runCommits,
        commit: (...[changes, now]: Parameters<Storage['runCommits']['commit']>) => {
          const poisoned = JSON.stringify(changes).includes('poison');
          if (poisoned && refusals-- > 0) return Promise.reject(new Error('cannot be bound'));
          return real.runCommits.commit(changes, now);
        },
      },
    };
  };

  it('[runs.recovery.crash-loop] ends after the last attempt, and frees its thread', async () => {
    await openWith(refusing(1_000));
    const { events, run: record } = await run('poison');
    expect(events.slice(-2)).toEqual(['error', 'end']);
    expect(record).toMatchObject({ status: 'error', stop_reason: 'crashed_repeatedly' });
    expect((await run('fine')).run).toMatchObject({ status: 'success' });
  });

  it('[runs.recovery.fenced] is retried, and continues once they can be written', async () => {
    // The batch fails, then the run alone.
    await openWith(refusing(2));
    expect((await run('poison')).run).toMatchObject({ status: 'success', attempt: 2 });
  });
});
