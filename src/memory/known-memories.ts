// Facts of people for runs. A process that alone changes them reads them once; others read them each time.
import { LRUCache } from 'lru-cache';
import type { MemoryFact, MemoryRepository } from '../storage/memories.ts';

export type KnownMemories = ReturnType<typeof createKnownMemories>;

interface KnownMemoriesParts {
  /** Reads ahead of the disk. */
  readonly memoriesForRuns: (userId: string) => Pick<MemoryRepository, 'get' | 'isOff'>;
  /** True when this process alone uses the database. */
  readonly exclusive: boolean;
}

const PEOPLE_KEPT = 10_000;
const NONE: readonly MemoryFact[] = [];

export function createKnownMemories({ memoriesForRuns, exclusive }: KnownMemoriesParts) {
  // `max` instead of `maxSize` would allocate all entries up front.
  const known = new LRUCache<string, Map<string, readonly MemoryFact[]>>({
    maxSize: PEOPLE_KEPT,
    sizeCalculation: () => 1,
  });
  const read = async (userId: string, agent: string): Promise<readonly MemoryFact[]> => {
    const memories = memoriesForRuns(userId);
    const facts = (await memories.get(agent))?.facts ?? NONE;
    return facts.length > 0 && (await memories.isOff()) ? NONE : facts;
  };
  return {
    /** Returns no facts when the person has switched memory off. */
    async factsOf(userId: string, agent: string): Promise<readonly MemoryFact[]> {
      if (!exclusive) return read(userId, agent);
      const own = known.get(userId) ?? new Map<string, readonly MemoryFact[]>();
      const before = own.get(agent);
      if (before !== undefined) return before;
      known.set(userId, own);
      const facts = await read(userId, agent);
      // After a `forget` during the read, the cache no longer holds this map.
      own.set(agent, facts);
      return facts;
    },
    /** Drops the cached facts of a person, because this process has changed them. */
    forget: (userId: string): void => void known.delete(userId),
  };
}
