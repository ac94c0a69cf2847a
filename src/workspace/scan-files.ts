// All plain files of a thread with what the file system says of them, bounded.
import { type BigIntStats, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { type Folder, insideDataHome, insideFolder } from './folder.ts';
import { AREAS, parseFilePath, userDataNames, VIRTUAL_ROOT, type WorkspacePlace } from './paths.ts';
import { ifReadable } from './workspace-failure.ts';

export interface ScannedFile {
  /** Below the virtual root: `workspace`, `notes`, `a.md`. */
  readonly names: readonly string[];
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

/** A look at a file takes microseconds; so many of them are taken in one go, without a trip to another thread each. */
const ENTRIES_PER_TURN = 64;

/**
 * Sorted by path. Links, devices, files with a second name and names that no virtual path may have are left out, as is
 * what goes away meanwhile. Nothing is created: a thread without files has none.
 */
export async function scanFiles({ dataHome, place, maxFiles }: ScanOrder): Promise<ScannedFiles> {
  const found: Found = { files: [], maxFiles, complete: true };
  await ifReadable(
    insideDataHome(dataHome, { names: userDataNames(place), create: false }, async (root) => {
      for (const area of AREAS) await scanInside(found, root, [area]);
    }),
  );
  const files = found.files.map((file) => ({ ...file, key: file.names.join('/') }));
  files.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { files: files.map(({ names, stats }) => ({ names, stats })), complete: found.complete };
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
    if (!isPath([...names, entry.name])) continue;
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
  else found.files.push({ names, stats });
}

function isPath(names: readonly string[]): boolean {
  try {
    // The name of a folder is checked as if a file lay in it; a name that is not NFC would come back as another file.
    const path = parseFilePath([VIRTUAL_ROOT, ...names].join('/'));
    return path.names.join('/') === names.join('/');
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
