// The storage contract for tasks that continue after the reply of the agent that gave them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackgroundTask } from '../../src/storage/background-tasks.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, createThread, sampleChange, sampleRun, sampleTask, sampleUser, startRunOn } from './samples.ts';

const PAGE = { limit: 9, offset: 0 };

export function backgroundTasksContract(open: () => Promise<Storage>): void {
  describe('background tasks', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      await storage.users.insert(sampleUser(ANN));
      await createThread(storage, ANN, 't');
      run = await startRunOn(storage, ANN, sampleRun('r', 't'));
      await storage.runCommits.commit([sampleChange(run, { backgroundTasks: [sampleTask('a')] })], 10);
    });
    afterEach(() => storage.close());

    const claim = (now: number, leaseUntil = now + 10) =>
      storage.backgroundTasks.claim({ now, leaseUntil, limit: 9 });
    const one = async (now: number): Promise<BackgroundTask> => {
      const [task] = await claim(now);
      if (task === undefined) throw new Error('there is nothing to do');
      return task;
    };
    const states = async () =>
      (await storage.as(ANN).backgroundTasks.list('t', PAGE)).map(
        ({ taskId, state }) => `${taskId} ${state}`,
      );
    const endParent = () =>
      storage.runCommits.commit(
        [sampleChange(run, { run: { status: 'success' }, thread: { status: 'idle' } })],
        11,
      );

    it('[background.storage] a task is written with the other changes of its run, once, and not for a lost run', async () => {
      const lost = { ...run, attempt: 9 };
      await storage.runCommits.commit([sampleChange(run, { backgroundTasks: [sampleTask('a')] })], 12);
      await storage.runCommits.commit([sampleChange(lost, { backgroundTasks: [sampleTask('b')] })], 12);
      expect(await states()).toEqual(['a waiting']);
      expect(await storage.as(ANN).backgroundTasks.openIds('t')).toEqual(['a']);
      expect(await one(12)).toMatchObject({
        taskId: 'a',
        userId: ANN,
        parentThreadId: 't',
        parentRunId: 'r',
        prompt: 'Look at it',
        runId: null,
        createdAt: 10,
      });
    });

    it('[background.storage] one process claims it, and another one after the lease', async () => {
      const claimed = await Promise.all([claim(20), claim(20), claim(20)]);
      expect(claimed.flat()).toHaveLength(1);
      expect(await claim(29)).toEqual([]);
      expect(await claim(30)).toHaveLength(1);
      await storage.backgroundTasks.freeAll();
      const task = await one(31);
      await storage.backgroundTasks.giveBack(task, 50);
      expect(await claim(49)).toEqual([]);
      expect(await claim(50)).toHaveLength(1);
    });

    it('[background.storage] [background.waits] it is due again when its run has ended and its thread is idle', async () => {
      await createThread(storage, ANN, 'thread-of-a');
      const work = await startRunOn(storage, ANN, sampleRun('w', 'thread-of-a'));
      const { begun, settle } = storage.backgroundTasks;
      await begun(await one(20), 'w', 21);
      expect(await claim(22)).toEqual([]);
      await storage.runCommits.commit(
        [sampleChange(work, { run: { status: 'success' }, thread: { status: 'idle' } })],
        23,
      );
      // The run that gave the task continues.
      expect(await claim(24)).toEqual([]);
      await endParent();
      const ended = await one(25);
      expect(ended).toMatchObject({ state: 'running', runId: 'w' });
      await settle(ended, 'reported', 26);
      expect(await claim(99)).toEqual([]);
      expect(await states()).toEqual(['a reported']);
      expect(await storage.as(ANN).backgroundTasks.openIds('t')).toEqual([]);
      expect(await storage.as(ANN).backgroundTasks.cancel('t', 'a', 27)).toMatchObject({ state: 'reported' });
    });

    it('[background.storage] [background.cancel] a task that is cancelled while a process works on it stays cancelled', async () => {
      const task = await one(20);
      const { cancel, list } = storage.as(ANN).backgroundTasks;
      expect(await cancel('t', 'a', 21)).toMatchObject({ state: 'cancelled', runStatus: null });
      expect(await cancel('elsewhere', 'a', 21)).toBeUndefined();
      await storage.backgroundTasks.begun(task, 'w', 22);
      expect(await list('t', PAGE)).toMatchObject([{ state: 'cancelled', runId: null }]);
      const cancelled = await one(23);
      await storage.backgroundTasks.settle(cancelled, 'cancelled', 24);
      expect(await claim(99)).toEqual([]);
    });

    it('[background.deleted] [background.hidden] the thread of a task is in no listing; a deleted thread leaves orphans', async () => {
      await createThread(storage, ANN, 'thread-of-a');
      const { threads, threadExports } = storage.as(ANN);
      const query = { limit: 9, offset: 0, sortBy: 'updated_at', sortOrder: 'desc' } as const;
      expect((await threads.search(query)).map(({ threadId }) => threadId)).toEqual(['t']);
      expect(await threads.count({})).toBe(1);
      expect(await threadExports.threadIds(undefined, 9)).toEqual(['t']);
      await endParent();
      expect(await threads.delete('t')).toBe('deleted');
      const orphans = await storage.backgroundTasks.orphansOf('t');
      expect(orphans).toMatchObject([{ taskId: 'a', state: 'orphaned' }]);
      const [orphan] = await claim(30);
      if (orphan !== undefined) await storage.backgroundTasks.remove(orphan);
      expect(await storage.backgroundTasks.orphansOf('t')).toEqual([]);
    });
  });
}
