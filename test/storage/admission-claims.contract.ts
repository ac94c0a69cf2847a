// The storage contract for the queue of a thread, and for runs that are claimed as they are admitted.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdmissionClaim, RunRepository } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, admitRun, CANCEL, claimRuns, createThread, finishRun, sampleRun } from './samples.ts';

interface Asked {
  readonly threadId?: string;
  readonly by?: AdmissionClaim;
  readonly delayMs?: number;
}

function claimBy(workerId: string, hasRoomFor: AdmissionClaim['hasPlaceFor'] = () => true): AdmissionClaim {
  return { workerId, epoch: 'e', hasPlaceFor: hasRoomFor };
}

export function admissionClaimsContract(open: () => Promise<Storage>): void {
  describe('queues, and claims with admissions', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await createThread(storage, ANN, 't');
      await storage.workers.register({ workerId: 'w1', leaseMs: 600_000 });
    });
    afterEach(() => storage.close());

    const admit = (runId: string, threadId: string, now: number) =>
      storage.as(ANN).runs.admit(sampleRun(runId, threadId, { now }));
    const claimed = async (runIds?: readonly string[], workerId = 'w1') =>
      (await claimRuns(storage, { workerId }, 10, runIds)).map((run) => run.runId);
    const admitted = async (...[run, by]: Parameters<RunRepository['admit']>) => {
      const admission = await storage.as(ANN).runs.admit(run, by);
      if (admission.kind !== 'admitted') throw new Error(`not admitted: ${admission.kind}`);
      return admission;
    };
    const waits = async (runId: string, { threadId = runId, by = claimBy('w1'), delayMs }: Asked = {}) => {
      const fields = delayMs === undefined ? {} : { delayMs };
      return (await admitted(sampleRun(runId, threadId, fields), by)).claimed === undefined;
    };

    it('[leases.queue] the next run of a thread is claimable once the previous one has ended, however it ended', async () => {
      for (const [now, id] of ['a', 'b', 'c', 'd'].entries()) await admit(id, 't', now);
      await admitRun(storage, ANN, sampleRun('due', 't', { now: 4, delayMs: 0 }));
      await admit('last', 't', 5);
      // One that ended before its turn, and the first.
      expect(await storage.as(ANN).runs.cancel('b', CANCEL)).toBe('ended');
      expect(await storage.as(ANN).runs.cancel('a', CANCEL)).toBe('ended');
      expect(await claimed()).toEqual(['c']);
      await storage.runLeases.release({ workerId: 'w1', runId: 'c', attempt: 1 }, 3000);
      expect(await claimed(['d'])).toEqual([]);
      for (const next of ['c', 'd', 'due', 'last']) {
        const [run] = await claimRuns(storage, { workerId: 'w1' });
        expect(run?.runId).toBe(next);
        if (run !== undefined) await finishRun(storage, run);
      }
      expect(await claimed()).toEqual([]);
    });

    it('[leases.claim.admission] a run that may start is claimed as by a later claim, and returned as it was admitted', async () => {
      await createThread(storage, ANN, 'other');
      await admit('twin', 'other', 2000);
      const [twin] = await claimRuns(storage, { workerId: 'w1', epoch: 'e' });
      const { run, claimed: taken } = await admitted(sampleRun('r', 't', { now: 2000 }), claimBy('w1'));
      expect(run).toMatchObject({ runId: 'r', status: 'pending', attempt: 0, leaseOwner: null, epochs: [] });
      const { isNew, ...same } = { ...twin, runId: 'r', threadId: 't' };
      expect([taken, isNew]).toEqual([same, true]);
      expect(await storage.as(ANN).runs.get('r')).toEqual(taken);
      expect(await claimed()).toEqual([]);
      // The next run waits for it, and its numbers start after it.
      await admit('next', 't', 2001);
      if (taken !== undefined) await finishRun(storage, taken);
      const [next] = await claimRuns(storage, { workerId: 'w1' });
      expect(next?.numbersFrom).toBe((taken?.numbersFrom ?? 0) + 100_000);
    });

    it('[leases.claim.admission] a run that has to wait is not claimed, nor one for a lost worker: both can be claimed later', async () => {
      for (const id of ['full', 'nobody', 'fenced', 'delayed', 'due']) await createThread(storage, ANN, id);
      expect(await waits('first', { threadId: 't' })).toBe(false);
      expect(await waits('behind', { threadId: 't' })).toBe(true);
      expect(await waits('full', { by: claimBy('w1', (userId) => userId !== ANN) })).toBe(true);
      expect(await waits('nobody', { by: claimBy('nobody') })).toBe(true);
      expect(await waits('delayed', { delayMs: 600_000 })).toBe(true);
      // The due run was admitted earlier, with a delay.
      await admitRun(storage, ANN, sampleRun('due', 'due', { delayMs: 0 }));
      expect(await waits('younger', { threadId: 'due' })).toBe(true);
      await storage.workers.fenceOthers('w2');
      expect(await waits('fenced')).toBe(true);
      const later = await claimed(undefined, 'w2');
      expect(later.toSorted()).toEqual(['due', 'fenced', 'first', 'full', 'nobody']);
    });

    it('[leases.claim.admission] a run that replaces waiting ones is claimed, one that replaces a running one waits for its end', async () => {
      const replacing = (runId: string, now: number) =>
        admitted(sampleRun(runId, 't', { multitaskStrategy: 'interrupt', now }), claimBy('w1'));
      await admit('waiting', 't', 1);
      const { claimed: taken } = await replacing('replaces', 2);
      expect(taken).toMatchObject({ runId: 'replaces', attempt: 1 });
      const { claimed: none, displaced } = await replacing('after', 3);
      expect(none).toBeUndefined();
      expect(displaced).toMatchObject([{ runId: 'replaces' }]);
      if (taken !== undefined) await finishRun(storage, taken);
      expect(await claimed()).toEqual(['after']);
    });

    it('[leases.one-running] of many concurrent admissions with claims on a thread one is claimed', async () => {
      await storage.workers.register({ workerId: 'w2', leaseMs: 600_000 });
      const claims = Array.from({ length: 8 }, (_, n) =>
        admitted(sampleRun(`r${n}`, 't', { now: 1000 + n }), claimBy(`w${1 + (n % 2)}`)),
      );
      const runs = await Promise.all(claims);
      expect(runs.filter((run) => run.claimed !== undefined)).toHaveLength(1);
      expect(await claimed()).toEqual([]);
    });
  });
}
