// The storage contract for API keys.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewApiKey } from '../../src/storage/api-keys.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { ANN, BOB, sampleUser } from './samples.ts';

const sampleKey = (keyId: string, fields: Partial<NewApiKey> = {}): NewApiKey => ({
  keyId,
  name: `key ${keyId}`,
  hint: 'ags_abcde',
  hash: `hash of ${keyId}`,
  scopes: ['read'],
  createdAt: 1000,
  expiresAt: null,
  ...fields,
});

export function apiKeysContract(open: () => Promise<Storage>): void {
  describe('API keys', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await storage.users.insert(sampleUser(ANN));
    });
    afterEach(() => storage.close());

    it('[storage.api-keys] are found by their hash, with their owner', async () => {
      const made = await storage.as(ANN).apiKeys.create(sampleKey('k', { scopes: ['read', 'write'] }), 9);
      const { hash: _, ...key } = sampleKey('k', { scopes: ['read', 'write'] });
      expect(made).toEqual({ ...key, userId: ANN, lastUsedAt: null });
      expect(await storage.apiKeys.find('hash of k')).toEqual({ key: made, user: sampleUser(ANN) });
      expect(await storage.apiKeys.find('hash of nothing')).toBeUndefined();
      await storage.as(BOB).apiKeys.create(sampleKey('orphan'), 9);
      expect(await storage.apiKeys.find('hash of orphan')).toMatchObject({ user: undefined });
    });

    it('[owner.api-keys] are listed, newest first, and deleted by their owner only', async () => {
      const { apiKeys } = storage.as(ANN);
      for (const [n, id] of ['a', 'b', 'c'].entries())
        await apiKeys.create(sampleKey(id, { createdAt: n }), 9);
      expect((await apiKeys.list()).map(({ keyId }) => keyId)).toEqual(['c', 'b', 'a']);
      expect(await storage.as(BOB).apiKeys.list()).toEqual([]);
      expect(await storage.as(BOB).apiKeys.delete('a')).toBe(false);
      expect(await storage.as(BOB).apiKeys.deleteAll()).toBe(0);
      expect(await apiKeys.delete('a')).toBe(true);
      expect(await apiKeys.delete('a')).toBe(false);
      expect(await storage.apiKeys.find('hash of a')).toBeUndefined();
      expect(await apiKeys.deleteAll()).toBe(2);
      await expect(storage.as(UNSCOPED).apiKeys.create(sampleKey('x'), 9)).rejects.toThrow(TypeError);
    });

    it('[storage.api-keys.most] never exceed the limit, however many are created concurrently', async () => {
      const { apiKeys } = storage.as(ANN);
      await storage.as(BOB).apiKeys.create(sampleKey('bobs'), 1);
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, n) => apiKeys.create(sampleKey(`k${n}`), 3)),
      );
      expect(made.filter((it) => it === 'too_many')).toHaveLength(3);
      expect(await apiKeys.list()).toHaveLength(3);
    });

    it('[storage.api-keys.live] that work are distinguished from those that do not', async () => {
      const { apiKeys } = storage.as(ANN);
      await apiKeys.create(sampleKey('good'), 9);
      await apiKeys.create(sampleKey('later', { expiresAt: 2001 }), 9);
      await apiKeys.create(sampleKey('over', { expiresAt: 2000 }), 9);
      await storage.as(BOB).apiKeys.create(sampleKey('orphan'), 9);
      const asked = ['good', 'later', 'over', 'orphan', 'nothing'].map((id) => `hash of ${id}`);
      expect(await storage.apiKeys.live(asked, 2000)).toEqual(new Set(['hash of good', 'hash of later']));
      expect(await storage.apiKeys.live([], 2000)).toEqual(new Set());
    });

    it('[storage.api-keys.used] keep the time of their last use, which never moves back', async () => {
      await storage.as(ANN).apiKeys.create(sampleKey('k'), 9);
      for (const at of [3000, 2000]) await storage.apiKeys.markUsed('k', at);
      await storage.apiKeys.markUsed('nothing', 1);
      expect(await storage.as(ANN).apiKeys.list()).toMatchObject([{ lastUsedAt: 3000 }]);
    });
  });
}
