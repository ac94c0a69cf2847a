// The storage contract for the notes that deletions leave until rows and files of their threads are gone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, createThread } from './samples.ts';

export function threadRemovalsContract(open: () => Promise<Storage>): void {
  describe('removals of threads', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const take = (now: number, takenUntil: number, limit = 10) =>
      storage.threadRemovals.take({ now, takenUntil, limit });
    const recreate = (threadId: string) =>
      storage.as(ANN).threads.create({ threadId, metadata: {}, assistantId: null, now: 1 });

    async function deleted(owner: string, threadId: string, takenUntil?: number): Promise<void> {
      await createThread(storage, owner, threadId);
      await storage.as(owner).threads.delete(threadId, takenUntil);
    }

    it('[threads.removals] are claimed by one process at a time, oldest first, until they are done', async () => {
      await deleted(ANN, 'later', 20);
      await deleted(BOB, 'first', 10);
      await deleted(ANN, 'held', 5000);
      expect(await take(1000, 2000, 1)).toEqual([{ threadId: 'first', userId: BOB, takenUntil: 2000 }]);
      expect(await take(1000, 2001)).toEqual([{ threadId: 'later', userId: ANN, takenUntil: 2001 }]);
      expect(await take(1999, 3000)).toEqual([]);
      // A process that exceeds its time has lost it.
      expect(await take(2000, 3000)).toMatchObject([{ threadId: 'first' }]);
      await storage.threadRemovals.done({ threadId: 'first', userId: BOB, takenUntil: 2000 });
      expect(await take(3000, 4000)).toHaveLength(2);
      await storage.threadRemovals.done({ threadId: 'first', userId: BOB, takenUntil: 4000 });
      expect((await take(9000, 9001)).map(({ threadId }) => threadId).sort()).toEqual(['held', 'later']);
    });

    it('[threads.removals] two concurrent claims never return the same one', async () => {
      for (let n = 0; n < 10; n++) await deleted(ANN, `t${n}`);
      const taken = await Promise.all([1, 2, 3, 4].map((n) => take(1000, 2000 + n, 4)));
      const ids = taken.flat().map(({ threadId }) => threadId);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('[threads.removals] the id stays taken until rows and files are gone', async () => {
      await deleted(ANN, 't');
      expect(await recreate('t')).toBe('taken');
      expect(await storage.as(ANN).threads.get('t')).toBeUndefined();
      const [taken] = await take(1000, 2000);
      if (taken === undefined) throw new Error('not taken');
      for await (const _ of storage.threadRemovals.removeRows(taken, () => 2000))
        expect(await recreate('t')).toBe('taken');
      await storage.threadRemovals.done(taken);
      expect(await recreate('t')).toMatchObject({ created: true });
    });
  });
}
