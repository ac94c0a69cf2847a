// Gets the entries of a folder onto the disk: after a power cut, what was created or renamed in it is found only then.
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** For the start, while nobody waits for the event loop. */
export function syncFolderSync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The folder with those above it that are missing, all of them on the disk. For the start, too. */
export function makeFolderSync(path: string, mode?: number): void {
  const first = mkdirSync(path, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) syncFolderSync(dirname(made));
}
