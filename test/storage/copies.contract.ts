// The storage contract for threads that are copies of others.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Owner, type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import {
  ANN,
  admitRun,
  BOB,
  createThread,
  deleteThread,
  sampleCheckpoint,
  sampleRun,
  startRun,
} from './samples.ts';

export function copiesContract(open: () => Promise<Storage>): void {
  describe('copies', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await createThread(storage, ANN, 's');
    });
    afterEach(() => storage.close());

    /** Adds consecutive checkpoints to a thread, each named by one letter. */
    const grow = async (threadId: string, letters: string, owner: Owner = ANN) => {
      const { threads, checkpoints } = storage.as(owner);
      for (const id of letters) {
        const head = (await threads.get(threadId))?.headCheckpointId ?? null;
        const step = head === null ? -1 : ((await checkpoints.get(threadId, head))?.step ?? 0) + 1;
        const row = sampleCheckpoint(id, head, { delta: id, step, createdAt: 1000 + step });
        expect(await checkpoints.append(threadId, row, { expectedHead: head })).toBe('appended');
      }
    };
    const copy = async (from: string, threadId: string) => {
      const made = await storage.as(ANN).threads.copy(from, { threadId, metadata: { of: from }, now: 2000 });
      if (made === undefined) throw new Error('not copied');
      return made;
    };
    const history = async (threadId: string, query = {}) =>
      (await storage.as(ANN).checkpoints.list(threadId, { limit: 100, ...query }))
        .map((checkpoint) => checkpoint.checkpointId)
        .join('');
    const folded = async (threadId: string, checkpointId: string) =>
      (await storage.as(ANN).checkpoints.lineage(threadId, checkpointId)).join('');
    const remove = (threadId: string) => deleteThread(storage, ANN, threadId);

    it('[copies.independent] a copy is an idle thread with the state of its source', async () => {
      await grow('s', 'ab');
      await storage.as(ANN).threads.update('s', { displayName: 'Boats', metadata: { kept: 1 }, now: 1500 });
      await admitRun(storage, ANN, sampleRun('r', 's'));
      const made = await copy('s', 'c');
      expect(made).toEqual({
        threadId: 'c',
        userId: ANN,
        displayName: 'Boats',
        status: 'idle',
        metadata: { of: 's' },
        assistantId: null,
        headCheckpointId: 'b',
        createdAt: 2000,
        updatedAt: 2000,
        stateUpdatedAt: 2000,
      });
      expect(await storage.as(ANN).threads.get('c')).toEqual(made);
      expect(await storage.as(ANN).threads.count({ metadata: { of: 's' } })).toBe(1);
      expect(await storage.as(ANN).runs.list('c', { limit: 9, offset: 0 })).toEqual([]);
      await grow('c', 'x');
      expect(await folded('c', 'x')).toBe('abx');
      expect((await storage.as(ANN).threads.get('s'))?.headCheckpointId).toBe('b');
    });

    it('[copies.seen] a copy sees the checkpoints before it, and neither thread sees later ones of the other', async () => {
      await grow('s', 'abc');
      await copy('s', 'c');
      await grow('s', 'de');
      await grow('c', 'xy');
      expect(await history('s')).toBe('edcba');
      expect(await history('c')).toBe('yxcba');
      expect(await history('c', { limit: 2 })).toBe('yx');
      expect(await history('c', { limit: 2, before: 'x' })).toBe('cb');
      expect(await history('c', { before: 'd' })).toBe('');
      expect(await history('c', { ids: ['a', 'd', 'x'] })).toBe('xa');
      const { checkpoints } = storage.as(ANN);
      expect(await checkpoints.get('c', 'a')).toMatchObject({ threadId: 'c', checkpointId: 'a' });
      expect(await checkpoints.delta('c', 'a')).toBe('a');
      expect(await checkpoints.get('c', 'd')).toBeUndefined();
      expect(await checkpoints.get('s', 'x')).toBeUndefined();
      expect(await folded('c', 'b')).toBe('ab');
      expect(await folded('c', 'd')).toBe('');
      expect(await folded('s', 'e')).toBe('abcde');
    });

    it('sees the branch that its source was on, not the others', async () => {
      await grow('s', 'abc');
      const side = sampleCheckpoint('d', 'a', { delta: 'd' });
      await storage.as(ANN).checkpoints.append('s', side, { expectedHead: 'c' });
      await copy('s', 'c');
      expect(await folded('c', 'd')).toBe('ad');
      expect([...(await history('c'))].sort()).toEqual(['a', 'd']);
    });

    it('branches from a checkpoint that it inherits from its source', async () => {
      await grow('s', 'abc');
      await copy('s', 'c');
      await grow('s', 'd');
      const { checkpoints } = storage.as(ANN);
      const branch = (id: string, parent: string, expectedHead: string) =>
        checkpoints.append('c', sampleCheckpoint(id, parent, { delta: id }), { expectedHead });
      expect(await branch('x', 'a', 'c')).toBe('appended');
      expect(await branch('y', 'd', 'x')).toBe('no_parent');
      expect(await folded('c', 'x')).toBe('ax');
      expect(await checkpoints.get('s', 'x')).toBeUndefined();
    });

    it('[copies.of-copies] a copy of a copy sees the whole lineage before it', async () => {
      await grow('s', 'ab');
      await copy('s', 'c');
      await copy('c', 'early');
      await grow('c', 'x');
      await copy('c', 'd');
      await grow('d', 'y');
      expect(await history('d')).toBe('yxba');
      expect(await folded('d', 'y')).toBe('abxy');
      expect(await history('early')).toBe('ba');
    });

    it('a copy of a thread without state has none', async () => {
      expect(await copy('s', 'c')).toMatchObject({ headCheckpointId: null });
      await grow('s', 'a');
      expect(await history('c')).toBe('');
      await grow('c', 'b');
      expect(await folded('c', 'b')).toBe('b');
      expect(await remove('s')).toBe('deleted');
      expect(await folded('c', 'b')).toBe('b');
    });

    it.each(['scd', 'sdc', 'csd', 'cds', 'dsc', 'dcs'])(
      '[copies.delete] deleted in the order %s, no thread takes anything from the others',
      async (order) => {
        await grow('s', 'abc');
        await copy('s', 'c');
        await grow('s', 'ef');
        await grow('c', 'x');
        await copy('c', 'd');
        await grow('d', 'y');
        const seen = { s: ['fecba', 'abcef'], c: ['xcba', 'abcx'], d: ['yxcba', 'abcxy'] };
        const left = new Map(Object.entries(seen));
        for (const threadId of order) {
          expect(await remove(threadId)).toBe('deleted');
          left.delete(threadId);
          for (const [id, [listed, texts]] of left) {
            expect(await history(id)).toBe(listed);
            const head = (await storage.as(ANN).threads.get(id))?.headCheckpointId ?? '';
            expect(await folded(id, head)).toBe(texts);
          }
        }
      },
    );

    it('passes a shared past on only as far as each copy saw it', async () => {
      await grow('s', 'ab');
      await copy('s', 'c');
      await grow('s', 'cd');
      await copy('s', 'd');
      await grow('s', 'e');
      await remove('s');
      expect(await history('c')).toBe('ba');
      expect(await history('d')).toBe('dcba');
      await grow('c', 'x');
      expect(await history('c')).toBe('xba');
      await remove('c');
      expect(await history('d')).toBe('dcba');
    });

    it('[copies.delete.race] copies that are created and deleted concurrently keep what they see', async () => {
      await grow('s', 'abc');
      await copy('s', 'c');
      await copy('s', 'd');
      const made = await Promise.all([
        remove('s'),
        storage.as(ANN).threads.copy('c', { threadId: 'cc', metadata: {}, now: 3000 }),
        remove('d'),
        storage.as(ANN).threads.copy('d', { threadId: 'dd', metadata: {}, now: 3000 }),
        storage.as(ANN).threads.copy('s', { threadId: 'ss', metadata: {}, now: 3000 }),
        remove('c'),
      ]);
      const survivors = made.flatMap((it) => (typeof it === 'object' && 'threadId' in it ? it.threadId : []));
      for (const threadId of survivors) {
        expect(await history(threadId)).toBe('cba');
        expect(await folded(threadId, 'c')).toBe('abc');
      }
      for (const threadId of survivors) {
        await remove(threadId);
        for (const other of survivors.slice(survivors.indexOf(threadId) + 1)) {
          expect(await folded(other, 'c')).toBe('abc');
        }
      }
    });

    it("[owner.copies] another user's thread is not copied; a copy of a shared one is the reader's", async () => {
      await grow('s', 'a');
      const request = { threadId: 'c', metadata: {}, now: 2000 };
      expect(await storage.as(BOB).threads.copy('s', request)).toBeUndefined();
      expect(await storage.as(ANN).threads.copy('unknown', request)).toBeUndefined();
      await createThread(storage, UNSCOPED, 'shared');
      await grow('shared', 'b', UNSCOPED);
      expect(await storage.as(BOB).threads.copy('shared', request)).toMatchObject({ userId: BOB });
      expect(await storage.as(ANN).threads.get('c')).toBeUndefined();
      expect(await storage.as(ANN).checkpoints.get('c', 'b')).toBeUndefined();
      expect(await storage.as(ANN).checkpoints.list('c', { limit: 9 })).toEqual([]);
      expect(await storage.as(ANN).checkpoints.lineage('c', 'b')).toEqual([]);
      await storage.adoptOwnerlessThreads(ANN);
      expect(await storage.as(BOB).checkpoints.lineage('c', 'b')).toEqual(['b']);
      expect(await storage.as(BOB).checkpoints.get('shared', 'b')).toBeUndefined();
    });

    it('a copy runs like any other thread', async () => {
      const run = await startRun(storage, ANN, 'r');
      await grow('s', 'ab');
      await copy('s', 'c');
      expect(await admitRun(storage, ANN, sampleRun('on-copy', 'c'))).toMatchObject({ threadId: 'c' });
      expect(await storage.as(ANN).threads.get(run.threadId)).toMatchObject({ status: 'busy' });
      expect(await storage.as(ANN).threads.get('s')).toMatchObject({ status: 'idle' });
    });
  });
}
