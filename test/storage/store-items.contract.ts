// The storage contract for items of the store.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import type { NewStoreItem } from '../../src/storage/store-items.ts';
import { ANN, BOB } from './samples.ts';

const PLENTY = { items: 99, bytes: 9_999 };

export function storeItemsContract(open: () => Promise<Storage>): void {
  describe('items of the store', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const items = (owner = ANN) => storage.as(owner).storeItems;
    const item = (path: string, fields: Partial<NewStoreItem> = {}): NewStoreItem => {
      const [key = '', ...labels] = path.split('/').toReversed();
      return { namespace: labels.toReversed(), key, value: { path }, ttlMs: null, ...fields };
    };
    const put = (path: string, now: number, fields: Partial<NewStoreItem> = {}) =>
      items().put(item(path, fields), PLENTY, now);
    const pathsOf = (found: readonly { namespace: readonly string[]; key: string }[]) =>
      found.map(({ namespace, key }) => [...namespace, key].join('/'));

    it('[storage.store.item] keeps every field, and replaces all but the creation', async () => {
      const value = { text: 'a\u00e4💡\u0000', list: [1, null, { deep: true }], long: 'x'.repeat(5_000) };
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(await put('a/b/k', 10, { value })).toBe('stored');
      expect(await items().use()).toEqual({ items: 1, bytes });
      const stored = {
        namespace: ['a', 'b'],
        key: 'k',
        value,
        createdAt: 10,
        updatedAt: 10,
        expiresAt: null,
      };
      expect(await items().get({ namespace: ['a', 'b'], key: 'k' }, 11)).toEqual(stored);
      expect(await put('a/b/k', 20, { value: {} })).toBe('stored');
      expect(await items().list([item('a/b/k'), item('a/none')], 21)).toEqual([
        { ...stored, value: {}, updatedAt: 20 },
      ]);
      expect([await items().delete(item('a/b/k')), await items().delete(item('a/b/k'))]).toEqual([
        true,
        false,
      ]);
      expect(await items().use()).toEqual({ items: 0, bytes: 0 });
    });

    it('[storage.store.item] one name is one item for each owner', async () => {
      await items().put(item('a/k', { value: { of: 'ann' } }), PLENTY, 1);
      await items(BOB).put(item('a/k', { value: { of: 'bob' } }), PLENTY, 1);
      expect((await items().get(item('a/k'), 2))?.value).toEqual({ of: 'ann' });
      await items().delete(item('a/k'));
      expect((await items(BOB).get(item('a/k'), 2))?.value).toEqual({ of: 'bob' });
    });

    it('[storage.store.limit] refuses an item or a byte too many, and never what shrinks', async () => {
      const limit = { items: 2, bytes: 40 };
      const value = { v: 'x'.repeat(12) };
      expect(await items().put(item('a/1', { value }), limit, 1)).toBe('stored');
      expect(await items().put(item('a/2', { value }), limit, 1)).toBe('stored');
      expect(await items().put(item('a/3', { value: {} }), limit, 1)).toBe('too_many');
      expect(await items().put(item('a/2', { value: { v: 'x'.repeat(13) } }), limit, 1)).toBe('too_many');
      expect(await items().put(item('a/2', { value: {} }), { items: 1, bytes: 1 }, 1)).toBe('stored');
      expect(await items().use()).toEqual({ items: 2, bytes: 22 });
    });

    it('[storage.store.expiry] hides an item when its time is over, extends it on refresh, and removes its row', async () => {
      await put('a/short', 1_000, { ttlMs: 500 });
      await put('a/long', 1_000, { ttlMs: 5_000 });
      await put('a/ever', 1_000);
      await items().refresh([item('a/long'), item('a/ever')], 2_000);
      expect(pathsOf(await items().newest({ prefix: [], limit: 9, offset: 0, now: 1_499 }))).toHaveLength(3);
      expect(await items().get(item('a/short'), 1_500)).toBeUndefined();
      expect(pathsOf(await items().newest({ prefix: [], limit: 9, offset: 0, now: 6_999 }))).toEqual([
        'a/ever',
        'a/long',
      ]);
      // Too late for a refresh; a new item has the name.
      await items().refresh([item('a/short')], 1_500);
      expect(await items().get(item('a/short'), 1_600)).toBeUndefined();
      expect(await storage.expiredStoreItems.remove({ now: 6_999, limit: 9 })).toBe(1);
      expect((await items().use()).items).toBe(2);
      await put('a/long', 8_000);
      expect((await items().get(item('a/long'), 8_000))?.createdAt).toBe(8_000);
    });

    it('[storage.store.order] lists by name or by last change, below a namespace alone', async () => {
      for (const [n, path] of ['a/b/1', 'a/2', 'ab/3', 'a-b/4', 'a/b/c/5', 'b/6', 'a/B/7'].entries())
        await put(path, n);
      const scanned = async (prefix: string[], after?: NewStoreItem) =>
        pathsOf(await items().scan({ prefix, after, limit: 2, now: 99 }));
      expect(await scanned(['a'])).toEqual(['a/2', 'a/B/7']);
      expect(await scanned(['a'], item('a/B/7'))).toEqual(['a/b/1', 'a/b/c/5']);
      expect(await scanned(['a'], item('a/b/c/5'))).toEqual([]);
      const newest = (prefix: string[], offset: number) =>
        items().newest({ prefix, limit: 2, offset, now: 99 });
      expect(pathsOf(await newest(['a', 'b'], 0))).toEqual(['a/b/c/5', 'a/b/1']);
      expect(pathsOf(await newest([], 5))).toEqual(['a/2', 'a/b/1']);
      expect(await items().namespaces(['a'], 99)).toEqual([['a'], ['a', 'B'], ['a', 'b'], ['a', 'b', 'c']]);
    });
  });
}
