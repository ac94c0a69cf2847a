// Counts of what is on disk that are believed for a while: a walk over a folder is too much for each small write.
import { LRUCache } from 'lru-cache';
import { threadFolderNames, type WorkspacePlace } from '../paths.ts';
import { minus, plus, type Space } from './space.ts';

interface CountsParts {
  readonly countThread: (place: WorkspacePlace) => Promise<Space>;
  readonly countUser: (userId: string) => Promise<Space>;
}

export interface Counts {
  ofThread(place: WorkspacePlace): Promise<Space>;
  ofUser(userId: string): Promise<Space>;
  add(place: WorkspacePlace, more: Space): void;
  /** What is in no thread's folder. */
  addToUser(userId: string, more: Space): void;
  /** The thread is counted anew when it is asked for; what comes out goes into the person's count, too. */
  doubt(place: WorkspacePlace): void;
  /** Both are counted anew. */
  forget(place: WorkspacePlace): void;
  forgetUser(userId: string): void;
}

const BELIEVED_MS = 60_000;
const REMEMBERED = 10_000;

export function createCounts({ countThread, countUser }: CountsParts): Counts {
  const threads = new Believed();
  const users = new Believed();
  const keyOf = (place: WorkspacePlace) => threadFolderNames(place).join('/');
  return {
    ofThread: (place) =>
      threads.get(keyOf(place), async (before) => {
        const now = await countThread(place);
        if (before !== undefined && place.userId !== null) users.add(place.userId, minus(now, before));
        return now;
      }),
    ofUser: (userId) => users.get(userId, () => countUser(userId)),
    add(place, more) {
      threads.add(keyOf(place), more);
      if (place.userId !== null) users.add(place.userId, more);
    },
    addToUser: (userId, more) => users.add(userId, more),
    doubt: (place) => threads.doubt(keyOf(place)),
    forget(place) {
      threads.doubt(keyOf(place));
      if (place.userId !== null) users.doubt(place.userId);
    },
    forgetUser: (userId) => users.doubt(userId),
  };
}

interface Count {
  readonly space: Space;
  /** By the clock of this process, in milliseconds. */
  readonly believedUntil: number;
}

class Believed {
  readonly #counts = new LRUCache<string, Count>({ max: REMEMBERED });
  readonly #counting = new Map<string, Promise<Space>>();

  /** Whoever asks while it is counted waits for that count. `before` is the last one, believed or not. */
  get(key: string, count: (before: Space | undefined) => Promise<Space>): Promise<Space> {
    const known = this.#counts.get(key);
    if (known !== undefined && performance.now() < known.believedUntil) return Promise.resolve(known.space);
    const counting = this.#counting.get(key) ?? this.#count(key, () => count(known?.space));
    this.#counting.set(key, counting);
    return counting;
  }

  add(key: string, more: Space): void {
    const known = this.#counts.get(key);
    if (known !== undefined) this.#counts.set(key, { ...known, space: plus(known.space, more) });
  }

  doubt(key: string): void {
    const known = this.#counts.get(key);
    if (known !== undefined) this.#counts.set(key, { ...known, believedUntil: 0 });
  }

  async #count(key: string, count: () => Promise<Space>): Promise<Space> {
    try {
      const space = await count();
      this.#counts.set(key, { space, believedUntil: performance.now() + BELIEVED_MS });
      return space;
    } finally {
      this.#counting.delete(key);
    }
  }
}
