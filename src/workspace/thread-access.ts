// Access to the files of one thread, by the names of a virtual path. Never follows a link.
import { type Folder, type FolderAt, insideDataHome } from './folder.ts';
import type { KnownVersions } from './known-versions.ts';
import { parseFilePath } from './paths.ts';
import type { FileAt } from './plain-file.ts';
import type { DiskUse } from './quota/disk-use.ts';
import { describingFailures, ifThere } from './workspace-failure.ts';

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
export async function atFile<Result>(
  access: ThreadAccess,
  { path, create }: { readonly path: string; readonly create: boolean },
  use: (file: FileAt) => Promise<Result>,
): Promise<Result> {
  const parsed = parseFilePath(path);
  const name = parsed.names.at(-1) ?? '';
  const names = parsed.names.slice(0, -1);
  return describingFailures(parsed.text, async () => {
    const missing = create ? await missingFolders(access, names) : 0;
    // Checked first, because a refused write must not leave its folders behind.
    if (missing > 0) await access.diskUse.admit({ bytes: 0, entries: missing + 1 });
    return atFolder(access, { names, create }, (folder) => {
      if (missing > 0) access.diskUse.added({ bytes: 0, entries: missing });
      return use({ folder, name, shownAs: parsed.text });
    });
  });
}

/** Returns how many folders at the end of the path are missing. */
async function missingFolders(access: ThreadAccess, names: readonly string[]): Promise<number> {
  for (let there = names.length; there > 0; there -= 1) {
    const at = { names: names.slice(0, there), create: false };
    const isThere = await ifThere(atFolder(access, at, async () => true));
    if (isThere === true) return names.length - there;
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
