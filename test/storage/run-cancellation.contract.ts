// The storage contract for ending runs early, and for removing ended ones.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  CANCEL,
  claimRuns,
  createThread,
  finishRun,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRun,
  startRunOn,
} from './samples.ts';

const ROLLBACK = { action: 'rollback', stopReason: 'rolled_back', now: 4000 } as const;

export function runCancellationContract(open: () => Promise<Storage>): void {
  describe('early ends of runs', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await createThread(storage, ANN, 't');
    });
    afterEach(() => storage.close());

    const runs = () => storage.as(ANN).runs;
    const admit = (runId: string, now: number) => admitRun(storage, ANN, sampleRun(runId, 't', { now }));
    const threadStatus = async () => (await storage.as(ANN).threads.get('t'))?.status;

    describe('cancelling runs', () => {
      it('[runs.cancel.pending] a run that no worker claimed ends as interrupted, for the given reason', async () => {
        await admit('first', 1);
        await admit('second', 2);
        expect(await runs().cancel('second', CANCEL)).toBe('ended');
        expect(await runs().get('second')).toMatchObject({
          status: 'interrupted',
          stopReason: 'interrupted_by_user',
          finishedAt: 4000,
          cancel: null,
        });
        expect(await threadStatus()).toBe('busy');
        expect(await runs().cancel('second', CANCEL)).toBe('over');
        expect(await runs().cancel('first', CANCEL)).toBe('ended');
        expect(await threadStatus()).toBe('interrupted');
        expect(await claimRuns(storage, { workerId: 'w' })).toEqual([]);
      });

      it('a run rolled back before it began leaves its thread as it was', async () => {
        await admit('r', 1);
        expect(await runs().cancel('r', ROLLBACK)).toBe('ended');
        expect(await runs().get('r')).toMatchObject({ status: 'interrupted', stopReason: 'rolled_back' });
        expect(await threadStatus()).toBe('idle');
        const failed = await startRunOn(storage, ANN, sampleRun('failed', 't', { now: 2 }));
        const end = { run: { status: 'error' }, thread: { status: 'error' } } as const;
        await storage.runCommits.commit([sampleChange(failed, end)], 3000);
        await admit('again', 4);
        expect(await runs().cancel('again', ROLLBACK)).toBe('ended');
        expect(await threadStatus()).toBe('error');
      });

      it('[runs.cancel.requested] a running run keeps the first request until it ends', async () => {
        const run = await startRun(storage, ANN, 'r');
        expect(await runs().cancel('r', ROLLBACK)).toBe('requested');
        expect(await runs().cancel('r', CANCEL)).toBe('requested');
        const cancel = { action: 'rollback', stopReason: 'rolled_back' };
        expect(await runs().get('r')).toMatchObject({
          status: 'running',
          attempt: 1,
          cancel,
          finishedAt: null,
        });
        await finishRun(storage, run);
        expect(await runs().cancel('r', CANCEL)).toBe('over');
        expect(await runs().get('r')).toMatchObject({ status: 'success', cancel });
        expect(await runs().cancel('unknown', CANCEL)).toBe('absent');
      });

      it('a run that was claimed and handed back is asked to end, because it may have to be undone', async () => {
        const run = await startRun(storage, ANN, 'r');
        await storage.runLeases.release({ workerId: 'worker', runId: 'r', attempt: run.attempt }, 3000);
        expect(await runs().cancel('r', ROLLBACK)).toBe('requested');
        expect(await claimRuns(storage, { workerId: 'next' })).toMatchObject([
          { runId: 'r', cancel: { action: 'rollback', stopReason: 'rolled_back' } },
        ]);
      });

      it('[runs.cancel.race] a run is ended or claimed, never both', async () => {
        for (let n = 0; n < 12; n++) await cancelAtTheStart(n);
      });

      const cancelAtTheStart = async (n: number) => {
        await createThread(storage, ANN, `t${n}`);
        await admitRun(storage, ANN, sampleRun(`r${n}`, `t${n}`));
        const [answer, claimed] = await Promise.all([
          runs().cancel(`r${n}`, CANCEL),
          claimRuns(storage, { workerId: 'w' }, 1, [`r${n}`]),
        ]);
        const taken = claimed.length > 0;
        expect(answer).toBe(taken ? 'requested' : 'ended');
        expect(await runs().get(`r${n}`)).toMatchObject({ status: taken ? 'running' : 'interrupted' });
      };
    });

    describe('deleting runs', () => {
      it('[runs.delete] an ended run is removed with its events and stream; its checkpoints stay', async () => {
        const run = await startRunOn(storage, ANN, sampleRun('r', 't', { idempotencyKey: 'k' }));
        const long = sampleEvent('x'.repeat(600), { category: 'trace' });
        const frames = { firstSeq: 1, lastSeq: 1, attempt: 1, events: '["x"]' };
        const checkpoints = [sampleCheckpoint('c', null, { runId: 'r' })];
        const change = sampleChange(run, { frames, events: [long, sampleEvent('y')], checkpoints });
        await storage.runCommits.commit([change], 3000);
        await finishRun(storage, run);
        const other = await startRunOn(storage, ANN, sampleRun('other', 't', { now: 5000 }));
        await storage.runCommits.commit([sampleChange(other, { events: [long] })], 5000);
        expect(await runs().delete('r')).toBe('deleted');
        expect(await runs().delete('r')).toBe('absent');
        expect(await runs().get('r')).toBeUndefined();
        expect(await runs().findByIdempotencyKey('k', 1000)).toBeUndefined();
        expect(await storage.as(ANN).frames.read('r', 0, 100)).toEqual([]);
        expect(await storage.as(ANN).checkpoints.get('t', 'c')).toMatchObject({ runId: 'r' });
        const page = await storage.as(ANN).runEvents.list('t', { cursor: { kind: 'newest' }, limit: 9 });
        expect(page.events).toMatchObject([{ runId: 'other', seq: 3, content: 'x'.repeat(600) }]);
      });

      it('[runs.delete.active] a run that has not ended is not removed', async () => {
        await admit('waiting', 1);
        expect(await runs().delete('waiting')).toBe('active');
        await startRun(storage, ANN, 'running');
        expect(await runs().delete('running')).toBe('active');
        expect(await runs().get('running')).toMatchObject({ status: 'running' });
        expect(await runs().delete('unknown')).toBe('absent');
      });
    });
  });
}
