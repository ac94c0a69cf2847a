// The storage contract for memories.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryChange, MemoryFact } from '../../src/storage/memories.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, BOB, sampleUser } from './samples.ts';

const LIMITS = { mostAgents: 2, now: 7 };
const FACTS: readonly MemoryFact[] = [
  {
    id: 'f1',
    content: 'Keeps bees \u00e4💡 "a" \u0000',
    category: 'context',
    confidence: 0.75,
    createdAt: 5,
    source: { kind: 'thread', threadId: 't', messageId: 'm' },
  },
  { id: 'f2', content: 'b', category: 'goal', confidence: 1, createdAt: 6, source: { kind: 'manual' } },
  { id: 'f3', content: 'c', category: 'goal', confidence: 0, createdAt: 6, source: { kind: 'import' } },
];

export function memoriesContract(open: () => Promise<Storage>): void {
  describe('memories', () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      await storage.users.insert(sampleUser(ANN));
      await storage.users.insert(sampleUser(BOB));
    });
    afterEach(() => storage.close());

    const memories = (owner = ANN) => storage.as(owner).memories;
    const save = (fields: Partial<MemoryChange> = {}, owner = ANN) =>
      memories(owner).save({ agent: 'a', from: 0, facts: FACTS, previous: null, ...fields }, LIMITS);

    it('[storage.memory.change] keeps every field, for each owner and agent', async () => {
      expect(await memories().get('a')).toBeUndefined();
      expect(await save()).toBe('saved');
      expect(await save({ from: 1, facts: [], previous: FACTS })).toBe('saved');
      const stored = { agent: 'a', revision: 2, updatedAt: 7, facts: [], previous: FACTS };
      expect(await memories().get('a')).toEqual(stored);
      expect(await save({ agent: 'b' })).toBe('saved');
      expect(await save({ agent: 'c' })).toBe('too_many');
      expect((await memories().list()).map(({ agent, revision }) => [agent, revision])).toEqual([
        ['a', 2],
        ['b', 1],
      ]);
      expect(await save({}, BOB)).toBe('saved');
      expect((await memories(BOB).get('a'))?.facts).toEqual(FACTS);
    });

    it('[storage.memory.change] writes one of several concurrent changes', async () => {
      const four = [1, 2, 3, 4];
      expect((await Promise.all(four.map(() => save()))).toSorted()).toEqual([
        'saved',
        'stale',
        'stale',
        'stale',
      ]);
      const next = four.map((n) => save({ from: 1, facts: FACTS.slice(0, n) }));
      expect((await Promise.all(next)).toSorted()).toEqual(['saved', 'stale', 'stale', 'stale']);
      expect((await memories().get('a'))?.revision).toBe(2);
    });

    it('[storage.memory.account] writes nothing for a deleted account', async () => {
      await save();
      await memories().switch(true);
      expect([await memories().isOff(), await memories(BOB).isOff()]).toEqual([true, false]);
      const removal = { now: 2, takenUntil: 3, actor: null, clientIp: null };
      await storage.accountRemovals.begin(sampleUser(ANN), removal);
      await storage.accountRemovals.clear(ANN);
      expect(await memories().list()).toEqual([]);
      expect([await save(), await memories().switch(true)]).toEqual(['no_account', 'no_account']);
      expect([await memories().list(), await memories().isOff()]).toEqual([[], false]);
    });
  });
}
