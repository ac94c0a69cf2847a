// A thread's files together with the folders that its user can read but not change.
import { invalid } from '../../errors.ts';
import { insideRealFolder } from '../folder.ts';
import { listFolder, type WorkspaceListing } from '../list-folder.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { usePlainFile } from '../plain-file.ts';
import { type LineRange, readTextSlice, type TextSlice } from '../text-slice.ts';
import { describingFailures, ifReadable } from '../workspace-failure.ts';
import type { WorkspaceFiles } from '../workspace-files.ts';
import {
  type FoundReadOnly,
  findReadOnly,
  isBelow,
  type ReadOnlyFolder,
  type ReadOnlyFolders,
} from './read-only-folders.ts';

/** The same files, but `list` and `readText` include the folders, and writing there fails with a reason. */
export function withReadOnlyFolders(
  files: WorkspaceFiles,
  folders: ReadOnlyFolders,
  userId: string | null,
): WorkspaceFiles {
  return {
    ...files,
    async list(path, depth) {
      const found = await findReadOnly(folders, userId, path);
      return found === undefined ? files.list(path, depth) : listFound(found, depth);
    },
    async readText(path, range) {
      const text = await readReadOnly(folders, { userId, path }, range);
      return text ?? files.readText(path, range);
    },
    async writeText(path, content, mode) {
      refuseBelow(folders.root, path);
      return files.writeText(path, content, mode);
    },
    async replaceText(path, replacement) {
      refuseBelow(folders.root, path);
      return files.replaceText(path, replacement);
    },
  };
}

/**
 * Returns `undefined` for a path that is not below the root of the folders. Fails like
 * `WorkspaceFiles.readText`.
 */
export async function readReadOnly(
  folders: ReadOnlyFolders,
  { userId, path }: { readonly userId: string | null; readonly path: string },
  range: LineRange,
): Promise<TextSlice | undefined> {
  const found = await findReadOnly(folders, userId, path);
  if (found === undefined) return undefined;
  const name = found.kind === 'inside' ? found.names.at(-1) : undefined;
  const { text } = found.path;
  if (found.kind === 'above' || name === undefined) throw invalid(`${text} names a folder, not a file.`);
  return describingFailures(text, () =>
    insideRealFolder(found.folder.real, found.names.slice(0, -1), (folder) =>
      usePlainFile({ folder, name, shownAs: text }, ({ handle }) => readTextSlice(handle, range)),
    ),
  );
}

function refuseBelow(root: string, path: string): void {
  if (isBelow(root, path)) {
    throw invalid(`${path} can only be read. Write a copy of it under ${VIRTUAL_ROOT}/workspace instead.`);
  }
}

async function listFound(found: FoundReadOnly, depth: number): Promise<WorkspaceListing> {
  if (found.kind === 'above') return listAbove(found, depth);
  const { path, folder, names } = found;
  return describingFailures(path.text, () =>
    insideRealFolder(folder.real, names, (it) => listFolder(it, path, depth)),
  );
}

/** The folders on the way to those below exist only in paths. */
async function listAbove(
  { path, folders }: Extract<FoundReadOnly, { kind: 'above' }>,
  depth: number,
): Promise<WorkspaceListing> {
  const entries = new Map<string, WorkspaceListing['entries'][number]>();
  let complete = true;
  for (const folder of folders.toSorted((a, b) => (a.virtual < b.virtual ? -1 : 1))) {
    const names = folder.virtual.slice(path.text.length + 1).split('/');
    for (let level = 1; level <= Math.min(depth, names.length); level++) {
      const at = `${path.text}/${names.slice(0, level).join('/')}`;
      entries.set(at, { path: at, kind: 'folder' });
    }
    const inside = await listInside(folder, { names: [...path.names, ...names] }, depth - names.length);
    for (const entry of inside.entries) entries.set(entry.path, entry);
    complete &&= inside.complete;
  }
  return { entries: [...entries.values()], complete };
}

const NOTHING: WorkspaceListing = { entries: [], complete: true };

/** A folder that disappeared in between is shown without its contents. */
async function listInside(
  { virtual, real }: ReadOnlyFolder,
  { names }: { readonly names: readonly string[] },
  depth: number,
): Promise<WorkspaceListing> {
  if (depth < 1) return NOTHING;
  const listed = insideRealFolder(real, [], (folder) => listFolder(folder, { text: virtual, names }, depth));
  return (await ifReadable(listed)) ?? NOTHING;
}
