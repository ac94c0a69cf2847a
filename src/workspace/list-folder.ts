// A folder as a bounded, sorted tree of virtual paths.
import { opendir } from 'node:fs/promises';
import { type Folder, insideFolder } from './folder.ts';
import { AREAS, type VirtualPath } from './paths.ts';
import { isFileSystemError } from './workspace-failure.ts';

interface WorkspaceEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** `complete` is false when there is more than the listing shows. */
export interface WorkspaceListing {
  readonly entries: readonly WorkspaceEntry[];
  readonly complete: boolean;
}

const MAX_ENTRIES = 2_000;
const MAX_ENTRIES_OF_FOLDER = 10_000;

/** Lists `depth` levels below `folder`. Without a folder, lists what exists before anything was written. */
export async function listFolder(
  folder: Folder | undefined,
  path: VirtualPath,
  depth: number,
): Promise<WorkspaceListing> {
  const collected: Collected = { entries: [], complete: true };
  if (path.names.length === 0) await collectAreas(collected, { folder, path: path.text, depth });
  else if (folder !== undefined) await collect(collected, { folder, path: path.text, depth });
  return collected;
}

interface Collected {
  entries: WorkspaceEntry[];
  complete: boolean;
}

interface FolderToList<MaybeFolder = Folder> {
  readonly folder: MaybeFolder;
  readonly path: string;
  readonly depth: number;
}

/** The areas exist for the reader even before they contain anything. */
async function collectAreas(collected: Collected, at: FolderToList<Folder | undefined>): Promise<void> {
  for (const area of AREAS) {
    const path = `${at.path}/${area}`;
    collected.entries.push({ path, kind: 'folder' });
    if (at.folder !== undefined) await descend(collected, { ...at, folder: at.folder, path }, area);
  }
}

async function collect(collected: Collected, at: FolderToList): Promise<void> {
  for (const entry of await readEntries(collected, at.folder)) {
    if (collected.entries.length >= MAX_ENTRIES) {
      collected.complete = false;
      return;
    }
    const path = `${at.path}/${entry.name}`;
    collected.entries.push({ path, kind: entry.kind });
    if (entry.kind === 'folder') await descend(collected, { ...at, path }, entry.name);
  }
}

async function descend(collected: Collected, at: FolderToList, name: string): Promise<void> {
  if (at.depth <= 1) return;
  try {
    await insideFolder(at.folder, { names: [name], create: false }, (folder) =>
      collect(collected, { folder, path: at.path, depth: at.depth - 1 }),
    );
  } catch (error) {
    // A folder that disappeared or is unreadable is shown without its contents.
    if (!isFileSystemError(error)) throw error;
  }
}

async function readEntries(collected: Collected, folder: Folder) {
  const found: { readonly name: string; readonly kind: WorkspaceEntry['kind'] }[] = [];
  for await (const entry of await opendir(folder.self)) {
    if (found.length >= MAX_ENTRIES_OF_FOLDER) {
      collected.complete = false;
      break;
    }
    found.push({ name: entry.name, kind: kindOf(entry) });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }) {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
