// The storage contract for messages that are still to be read for facts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryJob } from '../../src/storage/memories.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, createThread, sampleUser } from './samples.ts';

const LIMITS = { mostAgents: 9, now: 1 };

export function memoryJobsContract(open: () => Promise<Storage>): void {
  describe('messages that are to be read for facts', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await storage.users.insert(sampleUser(ANN));
      await createThread(storage, ANN, 't');
    });
    afterEach(() => storage.close());

    const add = (question: string, dueAt: number, userId = ANN) =>
      storage.memoryJobs.add({ threadId: 't', agent: 'a', userId, runId: `of-${question}`, question, dueAt });
    const claim = (now: number, leaseUntil = now + 10) =>
      storage.memoryJobs.claim({ now, leaseUntil, limit: 9 });
    const one = async (now: number): Promise<MemoryJob> => {
      const [job] = await claim(now);
      if (job === undefined) throw new Error('nothing is due');
      return job;
    };

    it('[memory.later] a thread is due after its last message, and one process claims it', async () => {
      await add('m1', 5);
      await add('m2', 8);
      expect(await claim(7)).toEqual([]);
      const claimed = await Promise.all([claim(8), claim(8), claim(8)]);
      const job = {
        threadId: 't',
        agent: 'a',
        userId: ANN,
        runId: 'of-m2',
        questions: ['m1', 'm2'],
        attempt: 1,
      };
      expect(claimed.flat()).toEqual([job]);
      expect(await claim(17)).toEqual([]);
      // A process that exceeds its lease writes nothing.
      expect(await claim(18)).toEqual([{ ...job, attempt: 2 }]);
      expect(await storage.memoryJobs.finish(job, undefined, LIMITS)).toBe('lost');
      await storage.memoryJobs.freeAll();
      expect(await one(19)).toMatchObject({ attempt: 3 });
    });

    it('[memory.killed] the change and the end are one transaction; later messages stay due', async () => {
      await add('m1', 5);
      const job = await one(5);
      await add('m2', 7);
      const change = { agent: 'a', from: 1, facts: [], previous: null };
      expect(await storage.memoryJobs.finish(job, change, LIMITS)).toBe('stale');
      expect(await storage.memoryJobs.finish(job, { ...change, from: 0 }, LIMITS)).toBe('done');
      expect(await storage.as(ANN).memories.get('a')).toMatchObject({ revision: 1 });
      expect(await storage.memoryJobs.finish(job, undefined, LIMITS)).toBe('lost');
      const next = await one(7);
      expect(next).toMatchObject({ questions: ['m2'], attempt: 1 });
      await storage.memoryJobs.giveBack(next, 9, { spent: false });
      expect(await claim(8)).toEqual([]);
      const last = await one(9);
      expect(last.attempt).toBe(1);
      expect(await storage.memoryJobs.finish(last, undefined, LIMITS)).toBe('done');
      expect(await claim(99)).toEqual([]);
    });

    it('[memory.off] [memory.own] no job is due for foreign or deleted threads, or while memory is off', async () => {
      await add('m1', 5, BOB);
      await storage.as(ANN).memories.switch(true);
      await add('m1', 5);
      await storage.as(ANN).memories.switch(false);
      expect(await claim(99)).toEqual([]);
      await add('m1', 5);
      const { threads } = storage.as(ANN);
      expect(await threads.delete('t')).not.toBe('absent');
      expect(await claim(99)).toEqual([]);
      await add('m2', 5);
      expect(await claim(99)).toEqual([]);
    });
  });
}
