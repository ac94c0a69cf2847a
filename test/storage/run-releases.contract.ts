// The storage contract for runs that are handed back, and for those that become due in between.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, admitRun, claimRuns, createThread, finishRun, sampleRun, startRun } from './samples.ts';

export function runReleasesContract(open: () => Promise<Storage>): void {
  describe('runs that are handed back', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const claimedIds = async () => (await claimRuns(storage, { workerId: 'w1' })).map(({ runId }) => runId);

    /** Creates a claimed run of a thread, an earlier one that becomes due afterwards, and a younger one. */
    async function behindDue(): Promise<RunRecord> {
      await createThread(storage, ANN, 't');
      const later = await admitRun(storage, ANN, sampleRun('later', 't', { now: 1, delayMs: 200 }));
      await admitRun(storage, ANN, sampleRun('begun', 't', { now: 2 }));
      const [begun] = await claimRuns(storage, { workerId: 'w1' }, 1, ['begun']);
      if (begun === undefined) throw new Error('The first one was due already.');
      await admitRun(storage, ANN, sampleRun('younger', 't', { now: 3 }));
      await expect.poll(() => storage.now()).toBeGreaterThan(later.startAfter ?? 0);
      // The due run enters the queue.
      expect(await claimedIds()).toEqual([]);
      return begun;
    }

    it('[leases.start-after] a due run takes the place in the queue where it was admitted', async () => {
      await finishRun(storage, await behindDue());
      expect(await claimedIds()).toEqual(['later']);
    });

    it('[leases.release.first] a run that was handed back continues before one that was admitted earlier and is due now', async () => {
      const { runId, attempt } = await behindDue();
      await storage.runLeases.release({ workerId: 'w1', runId, attempt }, 4_000);
      expect(await claimedIds()).toEqual(['begun']);
      expect(await claimedIds()).toEqual([]);
    });

    it('[leases.release] a released run is pending again and keeps its count of attempts', async () => {
      const run = await startRun(storage, ANN, 'r');
      await storage.runLeases.release({ workerId: 'worker', runId: 'r', attempt: 7 }, 4000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'running', attempt: 1 });
      await storage.runLeases.release({ workerId: 'worker', runId: 'r', attempt: run.attempt }, 4000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({
        status: 'pending',
        attempt: 0,
        leaseOwner: null,
      });
      const [again] = await claimRuns(storage, { workerId: 'w2' });
      // A worker has executed it already.
      expect(again).toMatchObject({ runId: 'r', attempt: 1, leaseOwner: 'w2', isNew: false });
    });

    it('[leases.release.owner] a worker that is too slow releases nothing of its successor', async () => {
      const { runId, attempt } = await startRun(storage, ANN, 'r');
      const slow = { workerId: 'worker', runId, attempt };
      await storage.runLeases.release(slow, 4000);
      // The next attempt has the number of the one that was handed back.
      expect(await claimRuns(storage, { workerId: 'w2' })).toMatchObject([{ runId, attempt }]);
      await storage.runLeases.release(slow, 5000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'running', leaseOwner: 'w2' });
    });

    it('does not release a run that has ended', async () => {
      const run = await startRun(storage, ANN, 'r');
      await finishRun(storage, run);
      await storage.runLeases.release({ workerId: 'worker', runId: 'r', attempt: run.attempt }, 4000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'success', attempt: 1 });
    });
  });
}
