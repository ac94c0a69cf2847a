// Folders besides a thread's own that its runs may read but not change: the port, and path resolution.
import { ServiceError } from '../../errors.ts';
import { parsePathBelow, type VirtualPath } from '../paths.ts';

export interface ReadOnlyFolder {
  /** The path that runs see, such as `/mnt/skills/public/report`. */
  readonly virtual: string;
  /** The path on this machine. */
  readonly real: string;
}

export interface ReadOnlyFolders {
  /** All folders are visible below it, such as `/mnt/skills`. */
  readonly root: string;
  /** Returns the current folders of a user. Called whenever a run reads one. */
  of(userId: string | null): Promise<readonly ReadOnlyFolder[]>;
  /** Returns a sentence for the model about a path below the root that leads to none of the folders. */
  missing(path: string): string;
}

export type FoundReadOnly =
  /** `names` lead from the folder to the path. */
  | {
      readonly kind: 'inside';
      readonly path: VirtualPath;
      readonly folder: ReadOnlyFolder;
      readonly names: readonly string[];
    }
  /** The folders below the path, which is not one itself. */
  | { readonly kind: 'above'; readonly path: VirtualPath; readonly folders: readonly ReadOnlyFolder[] };

/**
 * Returns `undefined` for a path that is not below their root. Throws `not_found` for a path that leads to
 * none of the user's folders, and `invalid` for a malformed one.
 */
export async function findReadOnly(
  folders: ReadOnlyFolders,
  userId: string | null,
  path: string,
): Promise<FoundReadOnly | undefined> {
  if (!isBelow(folders.root, path)) return undefined;
  const parsed = parsePathBelow(folders.root, path);
  if (parsed === undefined) return undefined;
  const all = await folders.of(userId);
  const folder = all.find(({ virtual }) => isBelow(virtual, parsed.text));
  if (folder !== undefined) {
    const names = parsed.text.slice(folder.virtual.length + 1);
    return { kind: 'inside', path: parsed, folder, names: names === '' ? [] : names.split('/') };
  }
  const below = all.filter(({ virtual }) => isBelow(parsed.text, virtual));
  if (below.length > 0 || parsed.names.length === 0) return { kind: 'above', path: parsed, folders: below };
  throw new ServiceError('not_found', folders.missing(parsed.text));
}

/** True when the path is the folder itself or lies below it. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
