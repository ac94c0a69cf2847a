// The storage contract for skills that are switched off or being changed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, sampleUser } from './samples.ts';

export function skillStatesContract(open: () => Promise<Storage>): void {
  describe('states of skills', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const states = (owner = ANN) => storage.as(owner).skillStates;

    it('[storage.skills.off] keeps each switch separately, for one owner and for everybody', async () => {
      await Promise.all(['custom/a', 'public/b', 'custom/a'].map((path) => states().set(path, false)));
      await Promise.all([1, 2].map(() => storage.sharedSkillSwitches.set('public/b', false)));
      expect(await states().off()).toEqual({ own: ['custom/a', 'public/b'], shared: ['public/b'] });
      await storage.sharedSkillSwitches.set('public/b', true);
      await states(BOB).set('custom/a', true);
      await states().set('public/b', true);
      expect(await states().off()).toEqual({ own: ['custom/a'], shared: [] });
      expect(await states(BOB).off()).toEqual({ own: [], shared: [] });
    });

    it('[storage.skills.claim] lets one process claim a skill at a time, until its release or the end of the time', async () => {
      await storage.users.insert(sampleUser(ANN));
      const claim = (holder: string, now: number) =>
        states().claim({ name: 'tea', holder, until: now + 10 }, now);
      expect((await Promise.all([claim('a', 0), claim('b', 0)])).toSorted()).toEqual(['busy', 'claimed']);
      expect(await claim('c', 10)).toBe('claimed');
      expect(await states().renew({ name: 'tea', holder: 'a', until: 99 })).toBe(false);
      await states().release({ name: 'tea', holder: 'a' });
      expect(await claim('d', 11)).toBe('busy');
      expect(await states().renew({ name: 'tea', holder: 'c', until: 30 })).toBe(true);
      expect(await claim('d', 29)).toBe('busy');
      await states().release({ name: 'tea', holder: 'c' });
      expect(await claim('d', 12)).toBe('claimed');
    });

    it('[storage.skills.claim] claims and renews nothing for a deleted account', async () => {
      expect(await states().claim({ name: 'tea', holder: 'a', until: 9 }, 1)).toBe('no_account');
      const user = sampleUser(ANN);
      await storage.users.insert(user);
      expect(await states().claim({ name: 'tea', holder: 'a', until: 9 }, 1)).toBe('claimed');
      const removal = { now: 2, takenUntil: 3, actor: null, clientIp: null };
      await storage.accountRemovals.begin(user, removal);
      expect(await states().renew({ name: 'tea', holder: 'a', until: 9 })).toBe(false);
      await states().set('custom/a', false);
      await storage.accountRemovals.clear(ANN);
      expect(await states().off()).toEqual({ own: [], shared: [] });
    });
  });
}
