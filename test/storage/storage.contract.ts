// The storage contract as a whole: owners, adoption, readiness, closing.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Owner, type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import {
  ANN,
  BOB,
  createThread,
  NEWEST_FIRST,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  startRun,
} from './samples.ts';

export function storageContract(open: () => Promise<Storage>): void {
  describe('storage', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    it('[owner.required] repositories without an owner are a programming error', () => {
      for (const nobody of [undefined, null, '', 0, {}, Symbol('other')]) {
        expect(() => storage.as(nobody as Owner)).toThrow(TypeError);
      }
      expect(storage.as(UNSCOPED)).toBeDefined();
    });

    it('[owner.adopt] ownerless threads go to a user with their runs and events, once', async () => {
      const run = await startRun(storage, UNSCOPED, 'r');
      const events = [sampleEvent('from before')];
      await storage.runCommits.commit([sampleChange(run, { events })], 3000);
      await createThread(storage, BOB, 'his');
      expect(await storage.adoptOwnerlessThreads(ANN)).toBe(1);
      expect(await storage.adoptOwnerlessThreads(ANN)).toBe(0);
      expect(await storage.as(ANN).threads.search(NEWEST_FIRST)).toMatchObject([{ userId: ANN }]);
      expect(await storage.as(ANN).runs.get('r')).toMatchObject({ userId: ANN });
      const query = { cursor: { kind: 'newest' }, limit: 9 } as const;
      const page = await storage.as(ANN).runEvents.list(run.threadId, query);
      expect(page.events).toMatchObject([{ userId: ANN, content: 'from before' }]);
      expect(await storage.as(BOB).threads.get(run.threadId)).toBeUndefined();
      expect(await storage.as(BOB).threads.get('his')).toMatchObject({ userId: BOB });
    });

    it('[owner.adopt] and a process that starts at the same time finds nothing left to adopt', async () => {
      for (const id of ['a', 'b', 'c']) await createThread(storage, UNSCOPED, id);
      const logged = async () => (await storage.audit.list({ act: 'threads_adopt', limit: 99 })).entries;
      const before = await logged();
      const adopted = await Promise.all([ANN, ANN, ANN].map((admin) => storage.adoptOwnerlessThreads(admin)));
      expect(adopted.toSorted()).toEqual([0, 0, 3]);
      const [entry, ...rest] = await logged();
      expect(entry).toMatchObject({ subject: ANN, details: { threads: 3 } });
      expect(rest).toEqual(before);
      expect(await storage.as(ANN).threads.search(NEWEST_FIRST)).toHaveLength(3);
    });

    it('[storage.together] a write that fails takes no other of the same group with it', async () => {
      const run = await startRun(storage, ANN, 'r');
      const again = sampleChange(run, { checkpoints: [sampleCheckpoint('c', null)] });
      await storage.runCommits.commit([again], 3000);
      const outcomes = await Promise.allSettled([
        createThread(storage, ANN, 'before'),
        storage.runCommits.commit([again], 3001),
        createThread(storage, BOB, 'behind'),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await storage.as(ANN).threads.get('before')).toMatchObject({ userId: ANN });
      expect(await storage.as(BOB).threads.get('behind')).toMatchObject({ userId: BOB });
    });

    it('[storage.ready] reports repeatedly that it can be written', async () => {
      await storage.checkWritable();
      await storage.checkWritable();
    });

    it('[storage.closed] a closed storage is unavailable', async () => {
      const closed = await open();
      await closed.close();
      await expect(closed.as(ANN).threads.get('t')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(closed.checkWritable()).rejects.toMatchObject({ code: 'unavailable' });
    });

    it('stores text of every script, and never NUL', async () => {
      await createThread(storage, ANN, 't');
      const displayName = '数据 💡 a\u0000b';
      await storage.as(ANN).threads.update('t', { displayName, now: 2000 });
      expect(await storage.as(ANN).threads.get('t')).toMatchObject({ displayName: '数据 💡 a\ufffdb' });
      expect(await storage.as(ANN).runs.get('\u0000')).toBeUndefined();
      expect(await storage.as(ANN).threads.get('\u0000')).toBeUndefined();
    });
  });
}
