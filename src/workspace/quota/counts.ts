// Counts of what lies below the folders of the data home. They are trusted for a while, because walking a
// folder takes too long for each small write.
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

const BELIEVED_MS = 60_000;
const REMEMBERED = 10_000;

export function createCounts({ countThread, countUser }: CountsParts) {
  const threads = new Believed();
  const users = new Believed();
  const keyOf = (place: WorkspacePlace) => threadFolderNames(place).join('/');
  return {
    ofThread: (place: WorkspacePlace) =>
      threads.get(keyOf(place), async (before) => {
        const now = await countThread(place);
        if (before !== undefined && place.userId !== null) users.add(place.userId, minus(now, before));
        return now;
      }),
    ofUser: (userId: string) => users.get(userId, () => countUser(userId)),
    add(place: WorkspacePlace, more: Space): void {
      threads.add(keyOf(place), more);
      if (place.userId !== null) users.add(place.userId, more);
    },
    /** Adds what lies outside of all threads' folders. */
    addToUser: (userId: string, more: Space) => users.add(userId, more),
    /** The next request counts the thread again, and adds the difference to the person's count, too. */
    doubt: (place: WorkspacePlace) => threads.doubt(keyOf(place)),
    /** The next request counts again, both the thread and its user. */
    forget(place: WorkspacePlace): void {
      threads.doubt(keyOf(place));
      if (place.userId !== null) users.doubt(place.userId);
    },
    forgetUser: (userId: string) => users.doubt(userId),
  };
}

interface Count {
  readonly space: Space;
  /** By the clock of this process, in milliseconds. */
  readonly believedUntil: number;
}

class Believed {
  // `max` instead of `maxSize` would allocate all entries up front.
  readonly #counts = new LRUCache<string, Count>({ maxSize: REMEMBERED, sizeCalculation: () => 1 });
  readonly #counting = new Map<string, Promise<Space>>();

  /** Concurrent callers share one count. `before` is the last count, trusted or not. */
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

/**
 * Reading the metadata of a file takes microseconds, far less than a round trip to another thread. This many
 * are read in one go.
 */
const ENTRIES_PER_TURN = 64;
/** A folder may have a million entries, which are not all requested together. */
const ENTRIES_IN_ONE_GO = 256;
/** All folders on the path are open. Anything deeper is not counted, and taken for too much. */
const MAX_LEVELS = 128;
const TOO_DEEP: Space = { bytes: 0, entries: 1_000_000 };

/** Links count as themselves, and are not followed. A missing or disappearing entry counts as nothing. */
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
