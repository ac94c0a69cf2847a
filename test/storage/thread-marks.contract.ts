// The storage contract for the marks by which a process notices that another one changed threads.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, createThread } from './samples.ts';

export function threadMarksContract(open: () => Promise<Storage>): void {
  describe('marks of threads', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const markOf = async (userId: string) => (await storage.threadMarks.newest([userId])).get(userId);

    it('[threads.marks] change with the newest thread of their user, and with nothing else', async () => {
      expect(await markOf(ANN)).toBeUndefined();
      await createThread(storage, ANN, 'first');
      const first = await markOf(ANN);
      await createThread(storage, BOB, 'foreign');
      expect(await markOf(ANN)).toBe(first);
      await storage.as(ANN).threads.update('first', { displayName: 'Tea', now: 9_000 });
      expect(await markOf(ANN)).not.toBe(first);
      await storage.as(ANN).threads.delete('first');
      expect(await markOf(ANN)).toBeUndefined();
    });

    it('[threads.marks] are found for any number of users', async () => {
      const users = Array.from({ length: 515 }, (_, n) => `user-${n}`);
      await createThread(storage, 'user-0', 'a');
      await createThread(storage, 'user-514', 'b');
      expect([...(await storage.threadMarks.newest(users)).keys()]).toEqual(['user-0', 'user-514']);
      expect(await storage.threadMarks.newest([])).toEqual(new Map());
    });
  });
}
