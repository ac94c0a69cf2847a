// What lies below a folder of the data home.
import { lstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Folder, insideDataHome, insideFolder } from '../folder.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import { NO_SPACE, type Space } from './space.ts';

/** A look at a file takes microseconds, a trip to another thread for it far more: so many are taken in one go. */
const LOOKS_IN_ONE_GO = 64;
/** A folder may have a million entries: they are not asked for all at once. */
const ENTRIES_IN_ONE_GO = 256;
/** The folders on the way are all open. What lies deeper is not looked at, and is too much. */
const MAX_LEVELS = 128;
const TOO_DEEP: Space = { bytes: 0, entries: 1_000_000 };

/** Links count as themselves and are not followed; what is not there, or goes away meanwhile, counts as nothing. */
export async function countSpace(dataHome: string, names: readonly string[]): Promise<Space> {
  try {
    return await insideDataHome(dataHome, { names, create: false }, (folder) => spaceIn(folder, 0));
  } catch (error) {
    if (isFileSystemError(error)) return NO_SPACE;
    throw error;
  }
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
    if (entries % LOOKS_IN_ONE_GO === 0) await nextTurn();
  }
  return { bytes, entries };
}

async function spaceBelow(folder: Folder, name: string, level: number): Promise<Space> {
  if (level > MAX_LEVELS) return TOO_DEEP;
  try {
    return await insideFolder(folder, { names: [name], create: false }, (inside) => spaceIn(inside, level));
  } catch (error) {
    if (isFileSystemError(error)) return NO_SPACE;
    throw error;
  }
}
