// The storage contract for accounts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { sampleUser } from './samples.ts';

export function usersContract(open: () => Promise<Storage>): void {
  describe('users', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    it('returns the account as it was inserted, by id and by e-mail', async () => {
      const ann = sampleUser('ann', { email: 'Ann@Example.org', needsSetup: true, systemRole: 'admin' });
      expect(await storage.users.insert(ann)).toBe('inserted');
      expect(await storage.users.get('ann')).toEqual(ann);
      expect(await storage.users.findByEmail('ANN@example.ORG')).toEqual(ann);
      expect(await storage.users.get('nobody')).toBeUndefined();
      expect(await storage.users.findByEmail('nobody@example.org')).toBeUndefined();
    });

    it('[storage.users.email] one account per e-mail, whatever the case', async () => {
      await storage.users.insert(sampleUser('ann', { email: 'ann@example.org' }));
      const twin = sampleUser('twin', { email: 'ANN@Example.org' });
      expect(await storage.users.insert(twin)).toBe('email_taken');
      await storage.users.insert(sampleUser('bob'));
      expect(await storage.users.update('bob', 0, { email: 'Ann@example.org' })).toBe('email_taken');
      expect((await storage.users.get('bob'))?.email).toBe('bob@example.org');
    });

    it('lets an account change the case of its own e-mail', async () => {
      await storage.users.insert(sampleUser('ann'));
      const updated = await storage.users.update('ann', 0, { email: 'ANN@example.org' });
      expect(updated).toMatchObject({ email: 'ANN@example.org' });
    });

    it('[storage.users.oauth] a second account with the same provider and id is refused', async () => {
      const oauth = { oauthProvider: 'oidc', oauthId: '42' };
      await storage.users.insert(sampleUser('ann', oauth));
      await expect(storage.users.insert(sampleUser('bob', oauth))).rejects.toThrow();
      expect(await storage.users.insert(sampleUser('cid', { ...oauth, oauthId: '43' }))).toBe('inserted');
      expect(await storage.users.insert(sampleUser('dan'))).toBe('inserted');
      expect(await storage.users.insert(sampleUser('eve'))).toBe('inserted');
    });

    it('[storage.users.first] of many concurrent first users exactly one is inserted', async () => {
      const tries = Array.from({ length: 8 }, (_, n) =>
        storage.users.insertFirst(sampleUser(`first-${n}`), 'no_user'),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    it('inserts a first administrator beside users, and only one', async () => {
      await storage.users.insert(sampleUser('ann'));
      expect(await storage.users.insertFirst(sampleUser('x'), 'no_user')).toBe(false);
      const root = sampleUser('root', { systemRole: 'admin', createdAt: 2 });
      expect(await storage.users.findFirstAdmin()).toBeUndefined();
      expect(await storage.users.insertFirst(root, 'no_admin')).toBe(true);
      expect(await storage.users.insertFirst({ ...root, id: 'second' }, 'no_admin')).toBe(false);
      await storage.users.insert(sampleUser('late', { systemRole: 'admin', createdAt: 3 }));
      expect((await storage.users.findFirstAdmin())?.id).toBe('root');
    });

    it('[storage.users.version] of two changes of the same version the second is stale', async () => {
      await storage.users.insert(sampleUser('ann'));
      const change = { passwordHash: 'new', tokenVersion: 1, needsSetup: true };
      const both = await Promise.all([
        storage.users.update('ann', 0, change),
        storage.users.update('ann', 0, change),
      ]);
      expect(both.filter((it) => it === 'stale')).toHaveLength(1);
      expect(await storage.users.get('ann')).toEqual(sampleUser('ann', change));
      expect(await storage.users.update('nobody', 0, change)).toBe('stale');
    });

    it('returns the account for an empty patch', async () => {
      await storage.users.insert(sampleUser('ann'));
      expect(await storage.users.update('ann', 0, {})).toEqual(sampleUser('ann'));
    });
  });
}
