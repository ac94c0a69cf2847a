// The storage contract for checkpoints.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointQuery, NewCheckpoint } from '../../src/storage/checkpoints.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, createThread, sampleChange, sampleCheckpoint, sampleRun, startRun } from './samples.ts';

export function checkpointsContract(open: () => Promise<Storage>): void {
  describe('checkpoints', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    const write = async (...checkpoints: NewCheckpoint[]) => {
      expect(await storage.runCommits.commit([sampleChange(run, { checkpoints })], 3000)).toEqual({
        lost: [],
        blocked: [],
      });
    };
    const checkpointsOf = (owner: string) => storage.as(owner).checkpoints;
    const ids = async (query: CheckpointQuery) =>
      (await checkpointsOf(ANN).list(run.threadId, query)).map((it) => it.checkpointId).join('');

    it('returns a checkpoint as it was written, its texts untouched', async () => {
      const checkpoint = sampleCheckpoint('c', null, {
        runId: 'r',
        step: -1,
        source: 'input',
        node: null,
        delta: '{ "messages" : [] }',
        snapshot: '{"all":true}',
        foldBytes: 123,
        next: ['model'],
        tasks: [{ id: 'x', name: 'tools', interrupts: [{ id: 'i', value: { ask: ['ä', null, 1.5] } }] }, 'y'],
        metadata: { source: 'input' },
        createdAt: 77,
      });
      await write(checkpoint);
      const { delta, snapshot, ...facts } = checkpoint;
      expect(await checkpointsOf(ANN).get(run.threadId, 'c')).toEqual({ ...facts, threadId: run.threadId });
      expect(await checkpointsOf(ANN).delta(run.threadId, 'c')).toBe(delta);
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'c')).toEqual([snapshot]);
      expect(await checkpointsOf(ANN).get(run.threadId, 'unknown')).toBeUndefined();
      expect(await checkpointsOf(ANN).delta(run.threadId, 'unknown')).toBeUndefined();
      expect(await checkpointsOf(ANN).get('other-thread', 'c')).toBeUndefined();
    });

    it('[checkpoints.history] lists newest first, all branches, in pages', async () => {
      await write(
        sampleCheckpoint('a', null, { step: -1, createdAt: 1 }),
        sampleCheckpoint('b', 'a', { step: 0, createdAt: 2 }),
        sampleCheckpoint('d', 'b', { step: 1, createdAt: 3 }),
        sampleCheckpoint('c', 'b', { step: 1, createdAt: 4 }),
        sampleCheckpoint('e', 'c', { step: 2, createdAt: 4 }),
      );
      expect(await ids({ limit: 10 })).toBe('ecdba');
      expect(await ids({ limit: 2 })).toBe('ec');
      expect(await ids({ limit: 2, before: 'c' })).toBe('db');
      expect(await ids({ limit: 2, before: 'a' })).toBe('');
      expect(await ids({ limit: 2, before: 'unknown' })).toBe('');
      expect(await ids({ limit: 9, ids: ['a', 'd', 'unknown'] })).toBe('da');
      expect(await ids({ limit: 9, ids: ['a', 'd'], before: 'd' })).toBe('a');
      expect(await ids({ limit: 9, ids: [] })).toBe('');
    });

    it('[checkpoints.history] knows the head of a thread, and the age of its newest checkpoint on any branch', async () => {
      const standing = () => checkpointsOf(ANN).current(run.threadId);
      expect(await standing()).toEqual({ head: undefined, newestAt: 0 });
      await write(
        sampleCheckpoint('a', null, { step: -1, createdAt: 1 }),
        sampleCheckpoint('b', 'a', { step: 0, createdAt: 9 }),
      );
      const branch = sampleCheckpoint('c', 'a', { step: 0, createdAt: 2 });
      const change = sampleChange(run, { checkpoints: [branch], thread: { headCheckpointId: 'c' } });
      await storage.runCommits.commit([change], 3000);
      const head = await checkpointsOf(ANN).get(run.threadId, 'c');
      expect(await standing()).toEqual({ head, newestAt: 9 });
      expect(await checkpointsOf(BOB).current(run.threadId)).toBeUndefined();
      expect(await checkpointsOf(ANN).current('unknown')).toBeUndefined();
    });

    it('[checkpoints.lineage] a checkpoint folds from its root, along its own branch', async () => {
      await write(
        sampleCheckpoint('root', null, { delta: '1' }),
        sampleCheckpoint('mid', 'root', { delta: '2' }),
        sampleCheckpoint('left', 'mid', { delta: '3' }),
        sampleCheckpoint('right', 'mid', { delta: '4' }),
      );
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'left')).toEqual(['1', '2', '3']);
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'right')).toEqual(['1', '2', '4']);
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'root')).toEqual(['1']);
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'unknown')).toEqual([]);
    });

    it('[checkpoints.snapshot] a fold begins at the nearest snapshot', async () => {
      await write(
        sampleCheckpoint('a', null, { delta: '1' }),
        sampleCheckpoint('b', 'a', { delta: '2', snapshot: '1+2' }),
        sampleCheckpoint('c', 'b', { delta: '3' }),
        sampleCheckpoint('d', 'c', { delta: '4' }),
        sampleCheckpoint('e', 'a', { delta: '5' }),
      );
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'd')).toEqual(['1+2', '3', '4']);
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'b')).toEqual(['1+2']);
      expect(await checkpointsOf(ANN).lineage(run.threadId, 'e')).toEqual(['1', '5']);
    });

    it('[checkpoints.lineage.fast] thousands of deltas are one quick read', async () => {
      const chain = Array.from({ length: 8000 }, (_, n) =>
        sampleCheckpoint(`c${n}`, n === 0 ? null : `c${n - 1}`, { delta: `${n}`, createdAt: n }),
      );
      await write(...chain);
      const times: number[] = [];
      // One quick read of five suffices, since other work of the machine must not fail the test.
      while (times.length < 5 && Math.min(...times) > 1_000) {
        const started = performance.now();
        const texts = await checkpointsOf(ANN).lineage(run.threadId, 'c7999');
        times.push(performance.now() - started);
        expect(texts).toEqual(chain.map((checkpoint) => checkpoint.delta));
      }
      expect(Math.min(...times)).toBeLessThan(1_000);
    });

    it('[checkpoints.append] a state update becomes the head, only from the head and while nothing runs', async () => {
      await createThread(storage, ANN, 't');
      const append = (id: string, expectedHead: string | null, displayName?: string) =>
        checkpointsOf(ANN).append('t', sampleCheckpoint(id, expectedHead, { createdAt: 9000 }), {
          expectedHead,
          ...(displayName === undefined ? {} : { displayName }),
        });
      expect(await append('a', null, 'Title')).toBe('appended');
      expect(await storage.as(ANN).threads.get('t')).toMatchObject({
        headCheckpointId: 'a',
        displayName: 'Title',
        updatedAt: 9000,
      });
      expect(await append('stale', null)).toBe('busy');
      expect(await append('b', 'a')).toBe('appended');
      expect(await storage.as(ANN).threads.get('t')).toMatchObject({
        headCheckpointId: 'b',
        displayName: 'Title',
      });
      await storage.as(ANN).runs.admit(sampleRun('next', 't'));
      expect(await append('c', 'b')).toBe('busy');
      const none = await checkpointsOf(ANN).append('none', sampleCheckpoint('d', null), {
        expectedHead: null,
      });
      expect(none).toBe('no_thread');
      expect(await checkpointsOf(ANN).list('t', { limit: 10 })).toHaveLength(2);
    });

    it('[checkpoints.append.branch] a state update may start at any checkpoint of its thread', async () => {
      await write(sampleCheckpoint('foreign', null));
      await createThread(storage, ANN, 't');
      const append = (id: string, parentId: string | null, expectedHead: string | null) =>
        checkpointsOf(ANN).append('t', sampleCheckpoint(id, parentId), { expectedHead });
      expect(await append('a', null, null)).toBe('appended');
      expect(await append('b', 'a', 'a')).toBe('appended');
      expect(await append('side', 'a', 'a')).toBe('busy');
      expect(await append('side', 'a', 'b')).toBe('appended');
      expect(await append('root', null, 'side')).toBe('appended');
      expect(await append('stray', 'foreign', 'root')).toBe('no_parent');
      expect(await append('stray', 'unknown', 'root')).toBe('no_parent');
      expect(await storage.as(ANN).threads.get('t')).toMatchObject({ headCheckpointId: 'root' });
      expect(await checkpointsOf(ANN).list('t', { limit: 9 })).toHaveLength(4);
    });

    it('[checkpoints.append.status] an update sets the status of its thread, or keeps it', async () => {
      await createThread(storage, ANN, 't');
      const statusAfter = async (
        id: string,
        expectedHead: string | null,
        status?: 'idle' | 'interrupted',
      ) => {
        await checkpointsOf(ANN).append('t', sampleCheckpoint(id, expectedHead), { expectedHead, status });
        return (await storage.as(ANN).threads.get('t'))?.status;
      };
      expect(await statusAfter('a', null, 'interrupted')).toBe('interrupted');
      expect(await statusAfter('b', 'a')).toBe('interrupted');
      expect(await statusAfter('c', 'b', 'idle')).toBe('idle');
    });

    it('of many updates of the same head one is appended', async () => {
      await createThread(storage, ANN, 't');
      const tries = Array.from({ length: 6 }, (_, n) =>
        checkpointsOf(ANN).append('t', sampleCheckpoint(`c${n}`, null), { expectedHead: null }),
      );
      expect((await Promise.all(tries)).filter((answer) => answer === 'appended')).toHaveLength(1);
    });

    it("[owner.checkpoints] another user's checkpoints are absent", async () => {
      await write(sampleCheckpoint('a', null));
      expect(await checkpointsOf(BOB).get(run.threadId, 'a')).toBeUndefined();
      expect(await checkpointsOf(BOB).list(run.threadId, { limit: 10 })).toEqual([]);
      expect(await checkpointsOf(BOB).lineage(run.threadId, 'a')).toEqual([]);
      const checkpoint = sampleCheckpoint('b', 'a');
      const appended = await checkpointsOf(BOB).append(run.threadId, checkpoint, { expectedHead: null });
      expect(appended).toBe('no_thread');
    });
  });
}
