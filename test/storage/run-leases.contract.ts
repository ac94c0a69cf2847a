// What every storage promises about who executes a run.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunShares } from '../../src/storage/run-leases.ts';
import type { Storage } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  BOB,
  CANCEL,
  createThread,
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
    const claimAt = (now: number, leaseOwner = 'w1') => ({ leaseOwner, now, leaseUntil: now + 10_000 });
    const claimed = async (now: number, limit = 10, runIds?: readonly string[]) =>
      (await storage.runLeases.claim(claimAt(now), limit, runIds)).map((run) => run.runId);

    it('[leases.claim] a claimed run is running under its first attempt', async () => {
      await admit('r');
      const [run] = await storage.runLeases.claim(claimAt(2000), 10);
      expect(run).toMatchObject({
        runId: 'r',
        status: 'running',
        attempt: 1,
        leaseOwner: 'w1',
        leaseUntil: 12_000,
        startedAt: 2000,
        kwargs: { input: { messages: [] } },
      });
      expect(await storage.as(ANN).runs.get('r')).toEqual(run);
      expect(await claimed(2000)).toEqual([]);
    });

    it('[leases.order] the runs of a thread are taken one by one, oldest first', async () => {
      await admit('first', 't', 1);
      await admit('second', 't', 2);
      await createThread(storage, ANN, 'other');
      await admit('elsewhere', 'other', 3);
      const [first, elsewhere] = await storage.runLeases.claim(claimAt(2000), 10);
      expect([first?.runId, elsewhere?.runId]).toEqual(['first', 'elsewhere']);
      expect(await claimed(2000)).toEqual([]);
      expect(await claimed(2000, 1, ['second'])).toEqual([]);
      if (first !== undefined) await finishRun(storage, first);
      expect(await claimed(2000)).toEqual(['second']);
    });

    it('[leases.turns] users take turns, and none gets more than its share', async () => {
      const room = async (limit: number, shares: Partial<RunShares>, runIds?: readonly string[]) => {
        const all = { perUser: 9, running: new Map(), after: '', ...shares };
        const runs = await storage.runLeases.claim({ ...claimAt(5000), shares: all }, limit, runIds);
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
      // Whose turn it was waits for the other's.
      expect(await room(1, { after: ANN })).toEqual(['b2']);
      expect(await room(1, { after: BOB })).toEqual(['a2']);
      // What one does not need, or may not have, is there for the others.
      expect(await room(3, { perUser: 2, running: new Map([[ANN, 2]]) })).toEqual(['b3']);
      expect(await room(9, { perUser: 4, running: new Map([[ANN, 2]]) })).toEqual(['a3', 'a4']);
      // Asked for by their ids, too; one that is only to be ended has no share to keep to.
      const full = { perUser: 4, running: new Map([[ANN, 4]]) };
      expect(await room(9, full, ['a5', 'a6'])).toEqual([]);
      expect(await room(9, { perUser: 1 }, ['a5', 'a6'])).toEqual(['a5']);
      expect(await room(9, { perUser: 1 }, ['a6'])).toEqual(['a6']);
      for (const id of ['a5', 'a6']) {
        await storage.runLeases.release(id, 1, 5000);
        expect(await storage.as(ANN).runs.cancel(id, CANCEL)).toBe('requested');
      }
      // Both where there is room for fewer than wait, and where there is room for all.
      expect(await room(1, full)).toEqual(['a5']);
      expect(await room(9, full)).toEqual(['a6']);
    });

    it('[leases.suspects] runs that were tried often are taken one at a time, if at all; cancelled ones are ended', async () => {
      const taken = async (now: number, limit: number, runIds?: readonly string[]) => {
        const claim = { ...claimAt(now, `w${now}`), suspects: { fromAttempt: 2, limit } };
        return (await storage.runLeases.claim(claim, 10, runIds)).map((run) => run.runId).sort();
      };
      for (const id of ['a', 'b', 'c']) {
        await createThread(storage, ANN, id);
        await admit(id, id);
      }
      expect(await taken(2000, 0)).toEqual(['a', 'b', 'c']);
      await createThread(storage, ANN, 'd');
      await admit('d', 'd', 3000);
      expect(await taken(20_000, 1)).toEqual(['a', 'b', 'c', 'd']);
      // The three were tried twice by now.
      expect(await taken(40_000, 0)).toEqual(['d']);
      expect(await taken(40_001, 1)).toEqual(['a']);
      expect(await taken(40_002, 1, ['b'])).toEqual([]);
      await storage.as(ANN).runs.cancel('b', CANCEL);
      expect(await taken(40_003, 0, ['b'])).toEqual(['b']);
      expect(await taken(40_004, 1)).toEqual(['c']);
      // One that was handed over waits for its turn, too.
      await storage.runLeases.release('c', 3, 41_000);
      expect(await taken(41_001, 0)).toEqual([]);
      expect(await taken(41_002, 1)).toEqual(['c']);
    });

    it('[leases.start-after] a run waits until it is due and stands in nobody’s way until then', async () => {
      const later = { now: 1, startAfter: 5000 };
      await admitRun(storage, ANN, sampleRun('later', 't', later));
      await admit('now', 't', 2);
      expect(await storage.as(ANN).runs.get('later')).toMatchObject({ status: 'pending', startAfter: 5000 });
      expect(await claimed(4999, 1, ['later'])).toEqual([]);
      const [now] = await storage.runLeases.claim(claimAt(4999), 10);
      expect(now).toMatchObject({ runId: 'now', startAfter: null });
      expect(await claimed(5000)).toEqual([]);
      if (now !== undefined) await finishRun(storage, now);
      await admit('younger', 't', 3);
      expect(await claimed(5000)).toEqual(['later']);
    });

    it('[leases.next-start] tells when the next waiting run will be due', async () => {
      expect(await storage.runLeases.nextStart(0)).toBeUndefined();
      for (const [n, startAfter] of [7000, 5000, 6000].entries()) {
        await createThread(storage, ANN, `t${n}`);
        await admitRun(storage, ANN, sampleRun(`r${n}`, `t${n}`, { startAfter }));
      }
      await admit('at-once');
      expect(await storage.runLeases.nextStart(0)).toBe(5000);
      expect(await storage.runLeases.nextStart(5000)).toBe(6000);
      expect(await storage.runLeases.nextStart(7000)).toBeUndefined();
      await storage.as(ANN).runs.cancel('r1', CANCEL);
      expect(await storage.runLeases.nextStart(0)).toBe(6000);
    });

    it('claims no more than asked for, and one run by its id', async () => {
      for (const id of ['a', 'b', 'c']) {
        await createThread(storage, ANN, id);
        await admit(`run-${id}`, id);
      }
      expect(await claimed(2000, 1, ['run-b'])).toEqual(['run-b']);
      expect(await claimed(2000, 1)).toEqual(['run-a']);
      expect(await claimed(2000, 0)).toEqual([]);
      expect(await claimed(2000, 1, ['unknown'])).toEqual([]);
    });

    it('[leases.exclusive] two processes never get the same attempt of a run', async () => {
      for (let n = 0; n < 20; n++) {
        await createThread(storage, ANN, `t${n}`);
        await admit(`r${n}`, `t${n}`);
      }
      const workers = ['w1', 'w2', 'w3', 'w4'].flatMap((worker) => [worker, worker, worker]);
      const answers = await Promise.all(
        workers.map((worker) => storage.runLeases.claim(claimAt(2000, worker), 3)),
      );
      const attempts = answers.flat().map((run) => `${run.runId}#${run.attempt}`);
      expect(new Set(attempts).size).toBe(attempts.length);
      let rest = await storage.runLeases.claim(claimAt(2000), 100);
      attempts.push(...rest.map((run) => `${run.runId}#${run.attempt}`));
      rest = await storage.runLeases.claim(claimAt(2000), 100);
      expect(rest).toEqual([]);
      expect(new Set(attempts).size).toBe(20);
    });

    it('[leases.exclusive] a late owner does not take its own run over, unless it gave it up', async () => {
      await admit('r');
      expect(await claimed(2000)).toEqual(['r']);
      expect(await claimed(100_000)).toEqual([]);
      await storage.runLeases.giveUp('w2', ['r'], 100_000);
      expect(await claimed(100_000)).toEqual([]);
      await storage.runLeases.giveUp('w1', ['r'], 100_000);
      const [again] = await storage.runLeases.claim(claimAt(100_000), 10);
      expect(again).toMatchObject({ runId: 'r', attempt: 2, leaseOwner: 'w1' });
    });

    it('[leases.one-running] a thread has at most one running run, also when many claim at once', async () => {
      for (let n = 0; n < 6; n++) await admit(`r${n}`, 't', n);
      const claims = ['w1', 'w2', 'w3'].map((worker) => storage.runLeases.claim(claimAt(2000, worker), 6));
      expect((await Promise.all(claims)).flat().map((run) => run.runId)).toEqual(['r0']);
      expect(await storage.as(ANN).runs.list('t', { status: 'running', limit: 9, offset: 0 })).toHaveLength(
        1,
      );
    });

    it('[leases.takeover] a run whose lease ended is taken over with the next attempt', async () => {
      const run = await startRun(storage, ANN, 'r');
      expect(run).toMatchObject({ attempt: 1, leaseUntil: 12_000 });
      expect(await storage.runLeases.claim(claimAt(12_000, 'w2'), 10)).toEqual([]);
      const [taken] = await storage.runLeases.claim(claimAt(12_001, 'w2'), 10);
      expect(taken).toMatchObject({ runId: 'r', attempt: 2, leaseOwner: 'w2', startedAt: 2000 });
      const late = sampleChange(run, { run: { status: 'success' } });
      expect(await storage.runCommits.commit([late], 12_002)).toEqual(['r']);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'running', attempt: 2 });
    });

    it('[leases.renew] a renewed lease holds, and tells which runs are still its own', async () => {
      await startRun(storage, ANN, 'a');
      await startRun(storage, ANN, 'b');
      const renewed = await storage.runLeases.renew({ leaseOwner: 'worker', now: 5000, leaseUntil: 15_000 });
      expect([...renewed].sort()).toEqual(['a', 'b']);
      expect(await claimed(14_000)).toEqual([]);
      const [taken] = await storage.runLeases.claim(claimAt(15_001, 'w2'), 1);
      const kept = await storage.runLeases.renew({ leaseOwner: 'worker', now: 15_002, leaseUntil: 25_000 });
      expect(kept).toEqual(['a', 'b'].filter((id) => id !== taken?.runId));
      expect(await storage.runLeases.renew(claimAt(15_002, 'nobody'))).toEqual([]);
    });

    it('[leases.cancel-requests] an owner learns which of its runs somebody asked to end', async () => {
      await startRun(storage, ANN, 'a');
      await startRun(storage, ANN, 'b');
      const asked = await storage.as(ANN).runs.cancel('a', CANCEL);
      expect(asked).toBe('requested');
      const requests = await storage.runLeases.cancelRequests('worker');
      expect(requests).toEqual([{ runId: 'a', stopReason: CANCEL.stopReason }]);
      expect(await storage.runLeases.cancelRequests('nobody')).toEqual([]);
    });

    it('[leases.release] a released run is pending again and keeps its count of attempts', async () => {
      const run = await startRun(storage, ANN, 'r');
      await storage.runLeases.release('r', 7, 4000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'running', attempt: 1 });
      await storage.runLeases.release('r', run.attempt, 4000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({
        status: 'pending',
        attempt: 0,
        leaseOwner: null,
        leaseUntil: null,
      });
      const [again] = await storage.runLeases.claim(claimAt(4000, 'w2'), 1);
      expect(again).toMatchObject({ runId: 'r', attempt: 1, leaseOwner: 'w2' });
    });

    it('does not release a run that has ended', async () => {
      const run = await startRun(storage, ANN, 'r');
      await finishRun(storage, run);
      await storage.runLeases.release('r', run.attempt, 4000);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ status: 'success', attempt: 1 });
    });

    it('[leases.expire-others] the leases of other owners end at once', async () => {
      await startRun(storage, ANN, 'theirs');
      await createThread(storage, ANN, 'mine');
      await admit('mine', 'mine');
      await storage.runLeases.claim(claimAt(2000, 'me'), 1, ['mine']);
      expect(await storage.runLeases.expireOthers('me', 3000)).toBe(1);
      const taken = await storage.runLeases.claim(claimAt(3000, 'me'), 10);
      expect(taken).toMatchObject([{ runId: 'theirs', attempt: 2 }]);
    });
  });
}
