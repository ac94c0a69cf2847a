// All regular files of a thread with their metadata, up to a limit.
import { type BigIntStats, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Folder, insideDataHome, insideFolder } from './folder.ts';
import { AREAS, areFileNames, userDataNames, type WorkspacePlace } from './paths.ts';
import { ifReadable } from './workspace-failure.ts';

export interface ScannedFile {
  /** Relative to the virtual root: `workspace`, `notes`, `a.md`. */
  readonly names: readonly string[];
  /** The same as one text: `workspace/notes/a.md`. */
  readonly path: string;
  readonly stats: BigIntStats;
}

/** `complete` is false when there are more files than the limit. */
export interface ScannedFiles {
  readonly files: readonly ScannedFile[];
  readonly complete: boolean;
}

interface ScanOrder {
  readonly dataHome: string;
  readonly place: WorkspacePlace;
  readonly maxFiles: number;
}

/**
 * Reading the metadata of a file takes microseconds. This many are read in one go, without a round trip to
 * another thread each.
 */
const ENTRIES_PER_TURN = 64;

/**
 * Sorted by path. Omits links, devices, files with a second name, names that no virtual path may have, and
 * files that disappear in between. Creates nothing: a thread without files has none.
 */
export async function scanFiles({ dataHome, place, maxFiles }: ScanOrder): Promise<ScannedFiles> {
  const found: Found = { files: [], maxFiles, complete: true };
  await ifReadable(
    insideDataHome(dataHome, { names: userDataNames(place), create: false }, async (root) => {
      for (const area of AREAS) await scanInside(found, root, [area]);
    }),
  );
  return { files: found.files.sort((a, b) => (a.path < b.path ? -1 : 1)), complete: found.complete };
}

interface Found {
  readonly files: ScannedFile[];
  readonly maxFiles: number;
  complete: boolean;
}

async function scanInside(found: Found, parent: Folder, names: readonly string[]): Promise<void> {
  const name = names.at(-1) ?? '';
  await ifReadable(
    insideFolder(parent, { names: [name], create: false }, async (folder) => {
      const { files, folders } = await entriesOf(folder, names);
      for (const [index, file] of files.entries()) {
        addFound(found, folder, [...names, file]);
        if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await nextTurn();
      }
      for (const child of folders) await scanInside(found, folder, [...names, child]);
    }),
  );
}

interface Entries {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

async function entriesOf(folder: Folder, names: readonly string[]): Promise<Entries> {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of await readdir(folder.self, { withFileTypes: true })) {
    // The name of a folder is checked as if a file lay in it.
    if (!areFileNames([...names, entry.name])) continue;
    if (entry.isFile()) files.push(entry.name);
    else if (entry.isDirectory()) folders.push(entry.name);
  }
  return { files, folders };
}

function addFound(found: Found, folder: Folder, names: readonly string[]): void {
  if (!found.complete) return;
  const stats = lstatSync(folder.at(names.at(-1) ?? ''), { bigint: true, throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.nlink > 1n) return;
  if (found.files.length >= found.maxFiles) found.complete = false;
  else found.files.push({ names, path: names.join('/'), stats });
}
