// The storage contract for the leases of runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunShares } from '../../src/storage/run-leases.ts';
import type { Storage } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  BOB,
  CANCEL,
  claimRuns,
  createThread,
  endLease,
  finishRun,
  sampleChange,
  sampleRun,
  startRun,
} from './samples.ts';

export function runLeasesContract(open: () => Promise<Storage>): void {
  describe('run leases', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await createThread(storage, ANN, 't');
    });
    afterEach(() => storage.close());

    const admit = (runId: string, threadId = 't', now = 1000) =>
      storage.as(ANN).runs.admit(sampleRun(runId, threadId, { now }));
    const claimed = async (limit = 10, runIds?: readonly string[], workerId = 'w1') =>
      (await claimRuns(storage, { workerId }, limit, runIds)).map((run) => run.runId);
    const takenOver = (workerId: string, limit = 10) =>
      claimRuns(storage, { workerId, fencesExpired: true }, limit);

    it('[leases.claim] a claimed run is running under its first attempt', async () => {
      await admit('r');
      const [taken] = await claimRuns(storage, { workerId: 'w1' });
      const { isNew, ...run } = taken ?? {};
      expect(run).toMatchObject({
        runId: 'r',
        status: 'running',
        attempt: 1,
        leaseOwner: 'w1',
        startedAt: 2000,
        kwargs: { input: { messages: [] } },
      });
      expect(isNew).toBe(true);
      expect(await storage.as(ANN).runs.get('r')).toEqual(run);
      expect(await claimed()).toEqual([]);
    });

    it('[runs.epochs.claim] each claim begins an epoch after the end of the log, and readers of the log see it', async () => {
      await admit('r');
      const [first] = await claimRuns(storage, { workerId: 'w1', epoch: 'first' });
      expect(first?.epochs).toEqual([{ firstSeq: 1, name: 'first' }]);
      if (first === undefined) throw new Error('nothing was claimed');
      const frames = { firstSeq: 1, lastSeq: 3, attempt: 1, events: '[1,2,3]' };
      await storage.runCommits.commit([sampleChange(first, { frames })], 3000);
      await storage.runLeases.release({ workerId: 'w1', runId: 'r', attempt: 1 }, 4000);
      // Handed back before any event.
      await claimRuns(storage, { workerId: 'w2', epoch: 'silent' });
      await storage.runLeases.release({ workerId: 'w2', runId: 'r', attempt: 1 }, 4000);
      const [again] = await claimRuns(storage, { workerId: 'w3', epoch: 'again' });
      const epochs = [
        { firstSeq: 1, name: 'first' },
        { firstSeq: 4, name: 'silent' },
        { firstSeq: 4, name: 'again' },
      ];
      expect(again?.epochs).toEqual(epochs);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ epochs });
      expect(await storage.as(ANN).frames.read('r', 0, 100)).toEqual([{ ...frames, epochs }]);
    });

    it('[leases.order] the runs of a thread are claimed one by one, oldest first', async () => {
      await admit('first', 't', 1);
      await admit('second', 't', 2);
      await createThread(storage, ANN, 'other');
      await admit('elsewhere', 'other', 3);
      const [first, elsewhere] = await claimRuns(storage, { workerId: 'w1' });
      expect([first?.runId, elsewhere?.runId]).toEqual(['first', 'elsewhere']);
      expect(await claimed()).toEqual([]);
      expect(await claimed(1, ['second'])).toEqual([]);
      if (first !== undefined) await finishRun(storage, first);
      expect(await claimed()).toEqual(['second']);
    });

    it('[leases.turns] users take turns, and none gets more than its share', async () => {
      const room = async (limit: number, shares: Partial<RunShares>, runIds?: readonly string[]) => {
        const all = { perUser: 9, running: new Map(), after: '', ...shares };
        const runs = await claimRuns(storage, { workerId: 'w1', shares: all }, limit, runIds);
        return runs.map((run) => run.runId).sort();
      };
      for (const id of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) {
        await createThread(storage, ANN, id);
        await admit(id, id);
      }
      for (const id of ['b1', 'b2', 'b3']) {
        await createThread(storage, BOB, id);
        await storage.as(BOB).runs.admit(sampleRun(id, id, { now: 2000 }));
      }
      expect(await room(2, {})).toEqual(['a1', 'b1']);
      // Users take turns after the last one.
      expect(await room(1, { after: ANN })).toEqual(['b2']);
      expect(await room(1, { after: BOB })).toEqual(['a2']);
      // A share that a user cannot use goes to the others.
      expect(await room(3, { perUser: 2, running: new Map([[ANN, 2]]) })).toEqual(['b3']);
      expect(await room(9, { perUser: 4, running: new Map([[ANN, 2]]) })).toEqual(['a3', 'a4']);
      // The same for runs claimed by their ids. A run that is only to be ended needs no share.
      const full = { perUser: 4, running: new Map([[ANN, 4]]) };
      expect(await room(9, full, ['a5', 'a6'])).toEqual([]);
      expect(await room(9, { perUser: 1 }, ['a5', 'a6'])).toEqual(['a5']);
      expect(await room(9, { perUser: 1 }, ['a6'])).toEqual(['a6']);
      for (const id of ['a5', 'a6']) {
        await storage.runLeases.release({ workerId: 'w1', runId: id, attempt: 1 }, 5000);
        expect(await storage.as(ANN).runs.cancel(id, CANCEL)).toBe('requested');
      }
      // Both with capacity for fewer runs than wait, and with capacity for all.
      expect(await room(1, full)).toEqual(['a5']);
      expect(await room(9, full)).toEqual(['a6']);
    });

    it('[leases.suspects] runs that were tried often are claimed one at a time, if at all; cancelled ones are ended', async () => {
      let workerId = 'w1';
      const dies = async (nextId: string) => {
        workerId = nextId;
        await storage.workers.fenceOthers(workerId);
      };
      const taken = async (limit: number, runIds?: readonly string[]) => {
        const claim = { workerId, suspects: { fromAttempt: 2, limit } };
        return (await claimRuns(storage, claim, 10, runIds)).map((run) => run.runId).sort();
      };
      for (const id of ['a', 'b', 'c']) {
        await createThread(storage, ANN, id);
        await admit(id, id);
      }
      expect(await taken(0)).toEqual(['a', 'b', 'c']);
      await createThread(storage, ANN, 'd');
      await admit('d', 'd', 3000);
      await dies('w2');
      expect(await taken(1)).toEqual(['a', 'b', 'c', 'd']);
      // The three have two attempts by now.
      await dies('w3');
      expect(await taken(0)).toEqual(['d']);
      expect(await taken(1)).toEqual(['a']);
      expect(await taken(1, ['b'])).toEqual([]);
      await storage.as(ANN).runs.cancel('b', CANCEL);
      expect(await taken(0, ['b'])).toEqual(['b']);
      expect(await taken(1)).toEqual(['c']);
      // A run that was handed back waits for its turn, too.
      await storage.runLeases.release({ workerId, runId: 'c', attempt: 3 }, 41_000);
      expect(await taken(0)).toEqual([]);
      expect(await taken(1)).toEqual(['c']);
    });

    it('[leases.start-after] a run waits until it is due and blocks no other run until then', async () => {
      const later = { now: 1, delayMs: 600_000 };
      const admitted = await admitRun(storage, ANN, sampleRun('later', 't', later));
      await admit('now', 't', 2);
      expect(admitted).toMatchObject({ status: 'pending', startAfter: expect.any(Number) });
      expect(await storage.as(ANN).runs.get('later')).toEqual(admitted);
      expect(await claimed(1, ['later'])).toEqual([]);
      const [now] = await claimRuns(storage, { workerId: 'w1' });
      expect(now).toMatchObject({ runId: 'now', startAfter: null });
      if (now !== undefined) await finishRun(storage, now);
      expect(await claimed()).toEqual([]);
    });

    it('claims no more than requested, and one run by its id', async () => {
      for (const id of ['a', 'b', 'c']) {
        await createThread(storage, ANN, id);
        await admit(`run-${id}`, id);
      }
      expect(await claimed(1, ['run-b'])).toEqual(['run-b']);
      expect(await claimed(1)).toEqual(['run-a']);
      expect(await claimed(0)).toEqual([]);
      expect(await claimed(1, ['unknown'])).toEqual([]);
    });

    it('[leases.exclusive] two processes never get the same attempt of a run', async () => {
      for (let n = 0; n < 20; n++) {
        await createThread(storage, ANN, `t${n}`);
        await admit(`r${n}`, `t${n}`);
      }
      const workers = ['w1', 'w2', 'w3', 'w4'].flatMap((worker) => [worker, worker, worker]);
      const answers = await Promise.all(workers.map((workerId) => claimRuns(storage, { workerId }, 3)));
      const attempts = answers.flat().map((run) => `${run.runId}#${run.attempt}`);
      expect(new Set(attempts).size).toBe(attempts.length);
      let rest = await claimRuns(storage, { workerId: 'w1' }, 100);
      attempts.push(...rest.map((run) => `${run.runId}#${run.attempt}`));
      rest = await claimRuns(storage, { workerId: 'w1' }, 100);
      expect(rest).toEqual([]);
      expect(new Set(attempts).size).toBe(20);
    });

    it('[leases.exclusive] a late owner does not take over its own run, unless it gave the run up', async () => {
      await admit('r');
      expect(await claimed()).toEqual(['r']);
      await endLease(storage, 'w1');
      expect(await takenOver('w1')).toEqual([]);
      await storage.runLeases.giveUp('w2', ['r']);
      expect(await takenOver('w1')).toEqual([]);
      await storage.runLeases.giveUp('w1', ['r']);
      const [again] = await takenOver('w1');
      expect(again).toMatchObject({ runId: 'r', attempt: 2, leaseOwner: 'w1', isNew: false });
    });

    it('[leases.one-running] a thread has at most one running run, even with many concurrent claims', async () => {
      for (let n = 0; n < 6; n++) await admit(`r${n}`, 't', n);
      const claims = ['w1', 'w2', 'w3'].map((workerId) => claimRuns(storage, { workerId }, 6));
      expect((await Promise.all(claims)).flat().map((run) => run.runId)).toEqual(['r0']);
      expect(await storage.as(ANN).runs.list('t', { status: 'running', limit: 9, offset: 0 })).toHaveLength(
        1,
      );
    });

    it('[leases.takeover] a run whose lease ended is taken over with the next attempt', async () => {
      const run = await startRun(storage, ANN, 'r');
      expect(await takenOver('w2')).toEqual([]);
      await endLease(storage, 'worker');
      expect(await claimRuns(storage, { workerId: 'w2' })).toEqual([]);
      const [taken] = await takenOver('w2');
      expect(taken).toMatchObject({ runId: 'r', attempt: 2, leaseOwner: 'w2', startedAt: 2000 });
      const late = sampleChange(run, { run: { status: 'success' } });
      expect(await storage.runCommits.commit([late], 12_002)).toEqual({ lost: ['r'], blocked: [] });
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'running', attempt: 2 });
    });

    it('[leases.takeover] several processes share the runs of a worker that died', async () => {
      for (const id of ['a', 'b', 'c']) await startRun(storage, ANN, id);
      await endLease(storage, 'worker');
      expect(await takenOver('w2', 1)).toHaveLength(1);
      expect(await claimRuns(storage, { workerId: 'w3' })).toHaveLength(2);
    });

    it('[leases.fence] a fenced worker renews no lease and claims no run', async () => {
      await startRun(storage, ANN, 'r');
      await endLease(storage, 'worker');
      // Late, but no other worker has fenced it.
      expect(await storage.workers.renew({ workerId: 'worker', leaseMs: -1, acknowledged: 0 })).toBeDefined();
      expect(await takenOver('w2', 0)).toEqual([]);
      expect(
        await storage.workers.renew({ workerId: 'worker', leaseMs: 60_000, acknowledged: 0 }),
      ).toBeUndefined();
      expect(
        await storage.workers.renew({ workerId: 'nobody', leaseMs: 60_000, acknowledged: 0 }),
      ).toBeUndefined();
      await admit('next');
      expect(await claimed(9, ['next'], 'worker')).toEqual([]);
      expect(await claimed(9, ['next'])).toEqual(['next']);
    });

    it('[leases.renew] one renewal extends the leases of all runs, which `held` lists', async () => {
      await startRun(storage, ANN, 'a');
      await startRun(storage, ANN, 'b');
      await endLease(storage, 'worker');
      expect(
        await storage.workers.renew({ workerId: 'worker', leaseMs: 60_000, acknowledged: 0 }),
      ).toBeDefined();
      expect(await takenOver('w2')).toEqual([]);
      await storage.as(ANN).runs.cancel('b', CANCEL);
      expect(
        (await storage.runLeases.held('worker')).toSorted((a, b) => (a.runId < b.runId ? -1 : 1)),
      ).toEqual([
        { runId: 'a', attempt: 1, stopReason: null },
        { runId: 'b', attempt: 1, stopReason: CANCEL.stopReason },
      ]);
      await endLease(storage, 'worker');
      const [taken] = await takenOver('w2', 1);
      const left = (await storage.runLeases.held('worker')).map(({ runId }) => runId);
      expect([...left, taken?.runId].toSorted()).toEqual(['a', 'b']);
      expect(await storage.runLeases.held('nobody')).toEqual([]);
    });

    it('[leases.turn] a renewal reports whether there is work', async () => {
      const renewed = () => storage.workers.renew({ workerId: 'worker', leaseMs: 60_000, acknowledged: 0 });
      await storage.workers.register({ workerId: 'worker', leaseMs: 60_000 });
      expect(await renewed()).toEqual({ holdsRuns: false, hasWork: false });
      await admit('a');
      expect(await renewed()).toEqual({ holdsRuns: false, hasWork: true });
      expect(await storage.workers.current('worker')).toEqual({ holdsRuns: false, hasWork: true });
      await claimed(1, ['a'], 'worker');
      expect(await renewed()).toEqual({ holdsRuns: true, hasWork: false });
      await storage.runLeases.giveUp('worker', ['a']);
      expect(await renewed()).toEqual({ holdsRuns: false, hasWork: true });
      await claimed(1, ['a'], 'worker');
      await storage.workers.register({ workerId: 'w2', leaseMs: -1 });
      expect(await renewed()).toEqual({ holdsRuns: true, hasWork: true });
      await storage.workers.retire('worker');
      expect(await storage.workers.current('worker')).toBeUndefined();
    });

    it('[leases.retire] runs that a stopping worker has not handed back can be claimed immediately', async () => {
      await startRun(storage, ANN, 'r');
      await storage.workers.retire('worker');
      expect(
        await storage.workers.renew({ workerId: 'worker', leaseMs: 60_000, acknowledged: 0 }),
      ).toBeUndefined();
      expect(await claimed()).toEqual(['r']);
    });

    it('[leases.cancel-requests] an owner learns which of its runs were asked to end', async () => {
      await startRun(storage, ANN, 'a');
      await startRun(storage, ANN, 'b');
      const asked = await storage.as(ANN).runs.cancel('a', CANCEL);
      expect(asked).toBe('requested');
      const requests = await storage.runLeases.cancelRequests('worker');
      expect(requests).toEqual([{ runId: 'a', stopReason: CANCEL.stopReason }]);
      expect(await storage.runLeases.cancelRequests('nobody')).toEqual([]);
    });

    it('[leases.fence-others] the runs of all other workers can be taken over immediately', async () => {
      await startRun(storage, ANN, 'theirs');
      await createThread(storage, ANN, 'mine');
      await admit('mine', 'mine');
      expect(await claimed(1, ['mine'], 'me')).toEqual(['mine']);
      await storage.workers.fenceOthers('me');
      expect(await claimRuns(storage, { workerId: 'me' })).toMatchObject([{ runId: 'theirs', attempt: 2 }]);
    });
  });
}
