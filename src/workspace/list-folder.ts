// A folder as a bounded, sorted tree of virtual paths.
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Folder, insideFolder } from './folder.ts';
import { AREAS, type VirtualPath } from './paths.ts';
import { ifReadable } from './workspace-failure.ts';

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
  const entries: WorkspaceEntry[] = [];
  let complete = true;
  const collect = async (inside: Folder, parent: string, levels: number): Promise<void> => {
    const found = await entriesOf(inside);
    complete &&= found.complete;
    for (const { name, kind } of found.entries) {
      if (entries.length >= MAX_ENTRIES) {
        complete = false;
        return;
      }
      entries.push({ path: `${parent}/${name}`, kind });
      if (kind === 'folder') await descend(inside, `${parent}/${name}`, levels);
    }
  };
  const descend = async (parent: Folder, child: string, levels: number): Promise<void> => {
    if (levels <= 1) return;
    const at = { names: [posix.basename(child)], create: false };
    // A folder that disappeared or is unreadable is shown without its contents.
    await ifReadable(insideFolder(parent, at, (inside) => collect(inside, child, levels - 1)));
  };
  if (path.names.length > 0) {
    if (folder !== undefined) await collect(folder, path.text, depth);
    return { entries, complete };
  }
  // The areas exist for the reader even before they contain anything.
  for (const area of AREAS.map((name) => `${path.text}/${name}`)) {
    entries.push({ path: area, kind: 'folder' });
    if (folder !== undefined) await descend(folder, area, depth);
  }
  return { entries, complete };
}

async function entriesOf(folder: Folder) {
  const found: { readonly name: string; readonly kind: WorkspaceEntry['kind'] }[] = [];
  let complete = true;
  for await (const entry of await opendir(folder.self)) {
    complete = found.length < MAX_ENTRIES_OF_FOLDER;
    if (!complete) break;
    found.push({ name: entry.name, kind: kindOf(entry) });
  }
  return { entries: found.sort((a, b) => (a.name < b.name ? -1 : 1)), complete };
}

function kindOf(entry: Dirent): WorkspaceEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
