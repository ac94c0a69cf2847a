// Access to the files of one thread, by the names of a virtual path. Never follows a link.
import { type Folder, type FolderAt, insideDataHome } from './folder.ts';
import type { KnownVersions } from './known-versions.ts';
import type { VirtualPath } from './paths.ts';
import type { FileAt } from './plain-file.ts';
import type { DiskUse } from './quota/disk-use.ts';
import { describingFailures, isFileSystemError } from './workspace-failure.ts';

export interface ThreadAccess {
  readonly dataHome: string;
  /** The path components of the folder behind the virtual root. */
  readonly userData: readonly string[];
  readonly diskUse: DiskUse;
  readonly newId: () => string;
  /**
   * The versions that the agent has read; `undefined` for callers that need not have read what they change.
   */
  readonly known: KnownVersions | undefined;
}

/** Uses the folder of the file; `create` creates it when missing. Failures name the virtual path only. */
export function atFile<Result>(
  access: ThreadAccess,
  { path, create }: { readonly path: VirtualPath; readonly create: boolean },
  use: (file: FileAt) => Promise<Result>,
): Promise<Result> {
  const name = path.names.at(-1) ?? '';
  const names = path.names.slice(0, -1);
  return describingFailures(path.text, async () => {
    const missing = create ? await missingFolders(access, names) : 0;
    // Checked first, because a refused write must not leave its folders behind.
    if (missing > 0) await access.diskUse.admit({ bytes: 0, entries: missing + 1 });
    return atFolder(access, { names, create }, (folder) => {
      if (missing > 0) access.diskUse.added({ bytes: 0, entries: missing });
      return use({ folder, name, shownAs: path.text });
    });
  });
}

/** Returns how many folders at the end of the path are missing. */
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

/** `names` are relative to the virtual root. */
export function atFolder<Result>(
  access: ThreadAccess,
  { names, create }: FolderAt,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(access.dataHome, { names: [...access.userData, ...names], create }, use);
}
