// The way to what one thread has on disk: by the names of a virtual path, never following a link.
import { type Folder, type FolderAt, insideDataHome } from './folder.ts';
import type { KnownVersions } from './known-versions.ts';
import { DRAFTS, type VirtualPath } from './paths.ts';
import type { DraftAt, FileAt } from './plain-file.ts';
import type { DiskUse } from './quota/disk-use.ts';
import { describingFailures, isFileSystemError } from './workspace-failure.ts';

export interface ThreadAccess {
  readonly dataHome: string;
  /** The components of the folder that is the virtual root. */
  readonly userData: readonly string[];
  readonly diskUse: DiskUse;
  readonly newId: () => string;
  /** What the agent has read; `undefined` for whoever need not have read what they change. */
  readonly known: KnownVersions | undefined;
}

/** The folder that the file lies in; with `create` it is made when missing. Failures name the virtual path only. */
export function atFile<Result>(
  access: ThreadAccess,
  { path, create }: { readonly path: VirtualPath; readonly create: boolean },
  use: (file: FileAt) => Promise<Result>,
): Promise<Result> {
  const name = path.names.at(-1) ?? '';
  const names = path.names.slice(0, -1);
  return describingFailures(path.text, async () => {
    const missing = create ? await missingFolders(access, names) : 0;
    // Asked before: a write that is refused must not leave its folders behind.
    if (missing > 0) await access.diskUse.admit({ bytes: 0, entries: missing + 1 });
    return atFolder(access, { names, create }, (folder) => {
      if (missing > 0) access.diskUse.added({ bytes: 0, entries: missing });
      return use({ folder, name, shownAs: path.text });
    });
  });
}

/** How many of the folders, the last ones, are not there. */
async function missingFolders(access: ThreadAccess, names: readonly string[]): Promise<number> {
  for (let there = names.length; there > 0; there -= 1) {
    try {
      await atFolder(access, { names: names.slice(0, there), create: false }, async () => {});
      return names.length - there;
    } catch (error) {
      if (!isFileSystemError(error, 'ENOENT')) throw error;
    }
  }
  return names.length;
}

/** Drafts lie beside the folders that users see, so that a crash leaves no half file where anybody looks. */
export function inDrafts<Result>(
  access: ThreadAccess,
  use: (draft: DraftAt) => Promise<Result>,
): Promise<Result> {
  const { dataHome, diskUse, newId } = access;
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, (drafts) =>
    use({ drafts, name: newId(), diskUse }),
  );
}

/** `names` below the virtual root. */
export function atFolder<Result>(
  access: ThreadAccess,
  { names, create }: FolderAt,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(access.dataHome, { names: [...access.userData, ...names], create }, use);
}
