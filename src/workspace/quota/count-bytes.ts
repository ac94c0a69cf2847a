// What lies below a folder of the data home, in bytes.
import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Folder, insideDataHome, insideFolder } from '../folder.ts';
import { isFileSystemError } from '../workspace-failure.ts';

/** A look at a file takes microseconds, a trip to another thread for it far more: so many are taken in one go. */
const LOOKS_IN_ONE_GO = 64;

/** Links count as themselves and are not followed; what is not there, or goes away meanwhile, counts as nothing. */
export async function countBytes(dataHome: string, names: readonly string[]): Promise<number> {
  try {
    return await insideDataHome(dataHome, { names, create: false }, bytesIn);
  } catch (error) {
    if (isFileSystemError(error)) return 0;
    throw error;
  }
}

async function bytesIn(folder: Folder): Promise<number> {
  let bytes = 0;
  let looks = 0;
  for (const entry of await readdir(folder.self, { withFileTypes: true })) {
    if (entry.isDirectory()) bytes += await bytesBelow(folder, entry.name);
    else bytes += lstatSync(folder.at(entry.name), { throwIfNoEntry: false })?.size ?? 0;
    looks += 1;
    if (looks % LOOKS_IN_ONE_GO === 0) await nextTurn();
  }
  return bytes;
}

async function bytesBelow(folder: Folder, name: string): Promise<number> {
  try {
    return await insideFolder(folder, { names: [name], create: false }, bytesIn);
  } catch (error) {
    if (isFileSystemError(error)) return 0;
    throw error;
  }
}
