// What lies below the folders of the data home: counts that are believed for a while, because a walk over a folder is too
// much for each small write.
import { lstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Folder, insideDataHome, insideFolder } from '../folder.ts';
import { threadFolderNames, type WorkspacePlace } from '../paths.ts';
import { ifReadable } from '../workspace-failure.ts';
import { minus, NO_SPACE, plus, type Space } from './space.ts';

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

/** A look at a file takes microseconds, a trip to another thread for it far more: so many are taken in one go. */
const ENTRIES_PER_TURN = 64;
/** A folder may have a million entries: they are not asked for all at once. */
const ENTRIES_IN_ONE_GO = 256;
/** The folders on the way are all open. What lies deeper is not looked at, and is too much. */
const MAX_LEVELS = 128;
const TOO_DEEP: Space = { bytes: 0, entries: 1_000_000 };

/** Links count as themselves and are not followed; what is not there, or goes away meanwhile, counts as nothing. */
export async function countSpace(dataHome: string, names: readonly string[]): Promise<Space> {
  const at = { names, create: false };
  return (await ifReadable(insideDataHome(dataHome, at, (folder) => spaceIn(folder, 0)))) ?? NO_SPACE;
}

async function spaceIn(folder: Folder, level: number): Promise<Space> {
  let bytes = 0;
  let entries = 0;
  for await (const entry of await opendir(folder.self, { bufferSize: ENTRIES_IN_ONE_GO })) {
    entries += 1;
    if (entry.isDirectory()) {
      const below = await spaceBelow(folder, entry.name, level + 1);
      bytes += below.bytes;
      entries += below.entries;
    } else bytes += lstatSync(folder.at(entry.name), { throwIfNoEntry: false })?.size ?? 0;
    if (entries % ENTRIES_PER_TURN === 0) await nextTurn();
  }
  return { bytes, entries };
}

async function spaceBelow(folder: Folder, name: string, level: number): Promise<Space> {
  if (level > MAX_LEVELS) return TOO_DEEP;
  const at = { names: [name], create: false };
  return (await ifReadable(insideFolder(folder, at, (inside) => spaceIn(inside, level)))) ?? NO_SPACE;
}
