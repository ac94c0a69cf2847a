// The way to what one thread has on disk: by the names of a virtual path, never following a link.
import { type Folder, type FolderAt, insideDataHome } from './folder.ts';
import type { KnownVersions } from './known-versions.ts';
import { DRAFTS, type VirtualPath } from './paths.ts';
import type { DraftAt, FileAt } from './plain-file.ts';
import type { DiskUse } from './quota/disk-use.ts';
import { describingFailures } from './workspace-failure.ts';

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
  return describingFailures(path.text, () =>
    atFolder(access, { names: path.names.slice(0, -1), create }, (folder) =>
      use({ folder, name, shownAs: path.text }),
    ),
  );
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
