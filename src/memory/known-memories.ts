// Facts of people as runs need them: read once by a process that alone changes them, else each time.
import { LRUCache } from 'lru-cache';
import type { MemoryFact, MemoryRepository } from '../storage/memories.ts';

export interface KnownMemories {
  /** No facts when the person has switched memory off. */
  factsOf(userId: string, agent: string): Promise<readonly MemoryFact[]>;
  /** This process has changed what the person's agents remember. */
  forget(userId: string): void;
}

interface KnownMemoriesParts {
  /** Ahead of the disk. */
  readonly memoriesForRuns: (userId: string) => Pick<MemoryRepository, 'get' | 'isOff'>;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
}

const PEOPLE_KEPT = 10_000;
const NONE: readonly MemoryFact[] = [];

export function createKnownMemories({ memoriesForRuns, exclusive }: KnownMemoriesParts): KnownMemories {
  const known = new LRUCache<string, Map<string, readonly MemoryFact[]>>({ max: PEOPLE_KEPT });
  const read = async (userId: string, agent: string): Promise<readonly MemoryFact[]> => {
    const memories = memoriesForRuns(userId);
    const facts = (await memories.get(agent))?.facts ?? NONE;
    return facts.length > 0 && (await memories.isOff()) ? NONE : facts;
  };
  return {
    async factsOf(userId, agent) {
      if (!exclusive) return read(userId, agent);
      const own = known.get(userId) ?? new Map<string, readonly MemoryFact[]>();
      const before = own.get(agent);
      if (before !== undefined) return before;
      known.set(userId, own);
      const facts = await read(userId, agent);
      // What was forgotten meanwhile is another map by now.
      own.set(agent, facts);
      return facts;
    },
    forget: (userId) => void known.delete(userId),
  };
}
