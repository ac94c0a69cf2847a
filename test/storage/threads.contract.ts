// The storage contract for threads.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/messages/message.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { ANN, admitRun, BOB, createThread, finishRun, NEWEST_FIRST, sampleRun, startRun } from './samples.ts';

export function threadsContract(open: () => Promise<Storage>): void {
  describe('threads', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const threadsOf = (owner: string | typeof UNSCOPED) => storage.as(owner).threads;
    const withMetadata = (threadId: string, metadata: JsonObject, now = 1000) =>
      threadsOf(ANN).create({ threadId, metadata, assistantId: null, now });
    const found = async (metadata: JsonObject) =>
      (await threadsOf(ANN).search({ ...NEWEST_FIRST, metadata })).map((thread) => thread.threadId);

    it('returns a created thread as it is stored, stamped with its owner', async () => {
      const metadata = { topic: 'boats', nested: { b: [1, null], a: true } };
      const created = await threadsOf(ANN).create({ threadId: 't', metadata, assistantId: 'x', now: 7 });
      const thread = {
        threadId: 't',
        userId: ANN,
        displayName: null,
        status: 'idle',
        metadata,
        assistantId: 'x',
        headCheckpointId: null,
        createdAt: 7,
        updatedAt: 7,
        stateUpdatedAt: 7,
      };
      expect(created).toEqual({ thread, created: true });
      expect(await threadsOf(ANN).get('t')).toEqual(thread);
    });

    it('[threads.create.idempotent] creating an existing thread returns the existing record', async () => {
      await withMetadata('t', { first: true });
      const again = await withMetadata('t', { second: true }, 2000);
      expect(again).toMatchObject({ created: false, thread: { metadata: { first: true }, updatedAt: 1000 } });
    });

    it("[threads.create.taken] an id of another user is 'taken'", async () => {
      await createThread(storage, ANN, 't');
      await createThread(storage, UNSCOPED, 'shared');
      const thread = { metadata: {}, assistantId: null, now: 2000 };
      expect(await threadsOf(BOB).create({ ...thread, threadId: 't' })).toBe('taken');
      expect(await threadsOf(BOB).create({ ...thread, threadId: 'shared' })).toBe('taken');
      expect(await threadsOf(BOB).get('t')).toBeUndefined();
    });

    it('of many concurrent creations one creates', async () => {
      const all = await Promise.all(Array.from({ length: 6 }, () => withMetadata('t', {})));
      expect(all.filter((it) => it !== 'taken' && it.created)).toHaveLength(1);
    });

    it('[threads.patch.merge] a patch merges into the metadata, key by key', async () => {
      await withMetadata('t', { kept: 1, replaced: { deep: 1 } });
      const patch = { metadata: { replaced: 2, added: null }, displayName: 'Boats', now: 2000 };
      const patched = await threadsOf(ANN).update('t', patch);
      expect(patched).toMatchObject({
        metadata: { kept: 1, replaced: 2, added: null },
        displayName: 'Boats',
        createdAt: 1000,
        updatedAt: 2000,
      });
      expect(await threadsOf(ANN).get('t')).toEqual(patched);
      expect(await found({ kept: 1, replaced: 2 })).toEqual(['t']);
      expect(await found({ replaced: { deep: 1 } })).toEqual([]);
    });

    it('[http.bounds.metadata] metadata from before there was a bound can be made smaller, and no larger', async () => {
      const large = { long: 'x'.repeat(20_000), other: 'y' };
      await withMetadata('t', large);
      const patched = (metadata: JsonObject) => threadsOf(ANN).update('t', { metadata, now: 2000 });
      await expect(patched({ more: 1 })).rejects.toMatchObject({ code: 'validation_failed' });
      await expect(patched({ long: 'x'.repeat(20_001) })).rejects.toMatchObject({
        code: 'validation_failed',
      });
      expect((await patched({ other: '' }))?.metadata).toEqual({ ...large, other: '' });
      const smaller = { long: 'x'.repeat(19_000), other: '' };
      expect((await patched({ long: smaller.long }))?.metadata).toEqual(smaller);
      expect((await threadsOf(ANN).get('t'))?.metadata).toEqual(smaller);
    });

    it('loses no key in concurrent patches', async () => {
      await createThread(storage, ANN, 't');
      const keys = Array.from({ length: 12 }, (_, n) => `key${n}`);
      await Promise.all(keys.map((key) => threadsOf(ANN).update('t', { metadata: { [key]: 1 }, now: 2000 })));
      const metadata = (await threadsOf(ANN).get('t'))?.metadata ?? {};
      expect(Object.keys(metadata).sort()).toEqual(keys.sort());
    });

    it('[threads.search.metadata] every key must be there with exactly this value', async () => {
      await withMetadata('one', { a: 1, b: 'x' });
      await withMetadata('text', { a: '1', b: 'x' });
      await withMetadata('truth', { a: true });
      await withMetadata('nothing', { a: null });
      await withMetadata('deep', { a: { y: [1, { k: 'v' }], x: 2 } });
      expect(await found({ a: 1 })).toEqual(['one']);
      expect(await found({ a: '1' })).toEqual(['text']);
      expect(await found({ a: true })).toEqual(['truth']);
      expect(await found({ a: null })).toEqual(['nothing']);
      expect(await found({ a: { x: 2, y: [1, { k: 'v' }] } })).toEqual(['deep']);
      expect(await found({ a: { x: 2 } })).toEqual([]);
      expect(await found({ a: 1, b: 'y' })).toEqual([]);
      expect((await found({ b: 'x' })).sort()).toEqual(['one', 'text']);
    });

    it('[threads.search.keys] metadata keys and values are data, whatever they contain', async () => {
      const odd = ["it's", '%', '_', '$.a', 'a.b', '"', '\\', 'a\u0000b', '__proto__', "' or 1=1 --", '💡'];
      for (const [n, key] of odd.entries()) {
        const metadata = JSON.parse(`{${JSON.stringify(key)}: ${JSON.stringify(key)}}`) as JsonObject;
        await withMetadata(`t${n}`, metadata);
        expect((await threadsOf(ANN).get(`t${n}`))?.metadata).toEqual(metadata);
        expect(await found(metadata)).toEqual([`t${n}`]);
      }
      expect(await found({ 'a.b': 'other' })).toEqual([]);
      expect(await found({ a: { b: 'a.b' } })).toEqual([]);
    });

    it('finds an entry that thousands of threads share as well as one that few have', async () => {
      for (let first = 0; first < 2100; first += 100) {
        const some = Array.from({ length: 100 }, (_, index) => first + index);
        await Promise.all(some.map((n) => withMetadata(`t${n}`, { all: 1, even: n % 2 === 0 }, n)));
      }
      const page = await threadsOf(ANN).search({ ...NEWEST_FIRST, metadata: { all: 1 }, limit: 3 });
      expect(page.map((thread) => thread.threadId)).toEqual(['t2099', 't2098', 't2097']);
      const even = await threadsOf(ANN).search({
        ...NEWEST_FIRST,
        metadata: { all: 1, even: true },
        limit: 2,
      });
      expect(even.map((thread) => thread.threadId)).toEqual(['t2098', 't2096']);
      expect(await threadsOf(ANN).count({ metadata: { all: 1 } })).toBe(2100);
      expect(await threadsOf(ANN).count({ metadata: { all: 1, even: true } })).toBe(1050);
    });

    it('[threads.search.page] pages are sorted, with the id as the tie-break, and do not overlap', async () => {
      for (const [threadId, now] of Object.entries({ a: 1, b: 3, c: 3, d: 2 })) {
        await withMetadata(threadId, {}, now);
      }
      const ids = async (query: object) =>
        (await threadsOf(ANN).search({ ...NEWEST_FIRST, ...query })).map((it) => it.threadId).join('');
      expect(await ids({})).toBe('cbda');
      expect(await ids({ sortOrder: 'asc' })).toBe('adbc');
      expect(await ids({ sortBy: 'thread_id', sortOrder: 'asc' })).toBe('abcd');
      expect(await ids({ sortBy: 'created_at' })).toBe('cbda');
      expect(await ids({ sortBy: 'status', sortOrder: 'asc' })).toBe('adbc');
      expect(await ids({ limit: 2 })).toBe('cb');
      expect(await ids({ limit: 2, offset: 2 })).toBe('da');
      expect(await ids({ offset: 9 })).toBe('');
    });

    it('sorts ids by their bytes, whatever the language of the server', async () => {
      for (const threadId of ['b', 'A', '_', 'a-b', 'ab', 'B']) await withMetadata(threadId, {});
      const byId = { ...NEWEST_FIRST, sortBy: 'thread_id', sortOrder: 'asc' } as const;
      const ids = (await threadsOf(ANN).search(byId)).map((it) => it.threadId);
      expect(ids).toEqual(['A', 'B', '_', 'a-b', 'ab', 'b']);
    });

    it('[threads.search.filter] filters by status and by ids, and counts the same', async () => {
      await finishRun(storage, await startRun(storage, ANN, 'done'));
      await startRun(storage, ANN, 'going');
      const matches = async (filter: object) => {
        const threads = await threadsOf(ANN).search({ ...NEWEST_FIRST, ...filter });
        expect(await threadsOf(ANN).count(filter)).toBe(threads.length);
        return threads.map((thread) => thread.threadId).sort();
      };
      expect(await matches({ status: 'busy' })).toEqual(['thread-of-going']);
      expect(await matches({ status: 'idle' })).toEqual(['thread-of-done']);
      expect(await matches({ ids: ['thread-of-done', 'unknown'] })).toEqual(['thread-of-done']);
      expect(await matches({ ids: [] })).toEqual([]);
      expect(await matches({ ids: ['thread-of-done'], status: 'busy' })).toEqual([]);
      expect(await matches({})).toHaveLength(2);
    });

    it("[owner.threads.read] another user's thread is an absent one", async () => {
      await withMetadata('t', { a: 1 });
      expect(await threadsOf(BOB).get('t')).toBeUndefined();
      expect(await threadsOf(BOB).search({ ...NEWEST_FIRST, ids: ['t'] })).toEqual([]);
      expect(await threadsOf(BOB).search({ ...NEWEST_FIRST, metadata: { a: 1 } })).toEqual([]);
      expect(await threadsOf(BOB).count({ metadata: { a: 1 } })).toBe(0);
      expect(await threadsOf(BOB).update('t', { displayName: 'mine', now: 2000 })).toBeUndefined();
      expect(await threadsOf(BOB).delete('t')).toBe('absent');
      expect(await threadsOf(ANN).get('t')).toMatchObject({ displayName: null, updatedAt: 1000 });
    });

    it('[hostile.S35] [owner.shared] ownerless threads are read by everybody and written by nobody', async () => {
      await createThread(storage, UNSCOPED, 'shared');
      await withMetadata('own', {}, 3000);
      expect(await threadsOf(ANN).get('shared')).toMatchObject({ userId: null });
      const both = await threadsOf(ANN).search(NEWEST_FIRST);
      expect(both.map((thread) => thread.threadId)).toEqual(['own', 'shared']);
      expect(await threadsOf(ANN).count({})).toBe(2);
      expect(await threadsOf(ANN).update('shared', { displayName: 'mine', now: 2000 })).toBeUndefined();
      expect(await threadsOf(ANN).delete('shared')).toBe('absent');
      expect(await storage.as(ANN).runs.admit(sampleRun('r', 'shared'))).toEqual({ kind: 'no_thread' });
    });

    it('[owner.unscoped] the explicit empty user sees and changes the threads of all users', async () => {
      await createThread(storage, ANN, 'a');
      await createThread(storage, BOB, 'b');
      expect(await threadsOf(UNSCOPED).count({})).toBe(2);
      expect(await threadsOf(UNSCOPED).update('a', { displayName: 'x', now: 2 })).toMatchObject({
        userId: ANN,
      });
      expect(await threadsOf(UNSCOPED).delete('b')).toBe('deleted');
    });

    it('[threads.delete] a deleted thread is gone with everything it had, and a second delete returns that', async () => {
      const run = await startRun(storage, ANN, 'r');
      await finishRun(storage, run);
      expect(await threadsOf(ANN).delete(run.threadId)).toBe('deleted');
      expect(await threadsOf(ANN).get(run.threadId)).toBeUndefined();
      expect(await storage.as(ANN).runs.get('r')).toBeUndefined();
      expect(await threadsOf(ANN).search(NEWEST_FIRST)).toEqual([]);
      expect(await threadsOf(ANN).delete(run.threadId)).toBe('absent');
    });

    it('[threads.delete.active] a thread with a run that has not ended stays, with everything it has', async () => {
      await createThread(storage, ANN, 't');
      await admitRun(storage, ANN, sampleRun('pending', 't'));
      const running = await startRun(storage, ANN, 'running');
      for (const threadId of ['t', running.threadId]) {
        expect(await threadsOf(ANN).delete(threadId)).toBe('active');
        expect(await threadsOf(ANN).get(threadId)).toMatchObject({ status: 'busy' });
        expect(await storage.as(ANN).runs.list(threadId, { limit: 9, offset: 0 })).toHaveLength(1);
      }
    });

    it('[threads.delete.active] of a concurrent run and deletion one wins, and the other learns of it', async () => {
      for (let n = 0; n < 20; n++) {
        await createThread(storage, ANN, `t${n}`);
        const admission = storage.as(ANN).runs.admit(sampleRun(`r${n}`, `t${n}`));
        const [admitted, deleted] =
          n % 2 === 0
            ? await Promise.all([admission, threadsOf(ANN).delete(`t${n}`)])
            : [await admission, await threadsOf(ANN).delete(`t${n}`)];
        const outcome = [admitted.kind, deleted];
        expect([
          ['admitted', 'active'],
          ['no_thread', 'deleted'],
        ]).toContainEqual(outcome);
        const run = await storage.as(ANN).runs.get(`r${n}`);
        expect(run?.status).toBe(deleted === 'active' ? 'pending' : undefined);
      }
    });
  });
}
