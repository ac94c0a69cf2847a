// The uploads folder of a thread, and the regular files in it.
import { lstat, unlink } from 'node:fs/promises';
import { type Folder, insideDataHome, isThreadAbsent } from '../folder.ts';
import { userDataNames, type WorkspacePlace } from '../paths.ts';
import { ifReadable } from '../workspace-failure.ts';

export interface UploadedFile {
  readonly filename: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export const AREA = 'uploads';

export function insideUploads<Result>(
  dataHome: string,
  at: { readonly place: WorkspacePlace; readonly create: boolean },
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(dataHome, { names: uploadsNames(at.place), create: at.create }, use);
}

/** True when the thread has no folder at all. A cheap check for callers in every run. */
export function hasNoUploads(dataHome: string, place: WorkspacePlace): boolean {
  return isThreadAbsent(dataHome, uploadsNames(place));
}

function uploadsNames(place: WorkspacePlace): readonly string[] {
  return [...userDataNames(place), AREA];
}

/** Returns `undefined` when the file does not exist, or is not a regular file. */
export async function plainFile(folder: Folder, filename: string): Promise<UploadedFile | undefined> {
  const stats = await lstat(folder.at(filename)).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  return { filename, size: stats.size, modifiedMs: stats.mtimeMs };
}

/** Ignores errors of the file system, such as for files that no longer exist. */
export async function removeFiles(folder: Folder, names: readonly string[]): Promise<void> {
  for (const name of names) await ifReadable(unlink(folder.at(name)));
}
