// Folders beside a thread's own that its runs may read and nobody writes through: the port, and what a
// path leads to among them.
import { ServiceError } from '../../errors.ts';
import { parsePathBelow, type VirtualPath } from '../paths.ts';

export interface ReadOnlyFolder {
  /** Where runs see it, such as `/mnt/skills/public/report`. */
  readonly virtual: string;
  /** Where it lies on this machine. */
  readonly real: string;
}

export interface ReadOnlyFolders {
  /** All of them are seen below it, such as `/mnt/skills`. */
  readonly root: string;
  /** Those of a user as they are now; asked whenever a run looks. */
  of(userId: string | null): Promise<readonly ReadOnlyFolder[]>;
  /** A sentence for the model about a path below the root that leads to none of them. */
  missing(path: string): string;
}

export type FoundReadOnly =
  /** `names` lead on from the folder. */
  | {
      readonly kind: 'inside';
      readonly path: VirtualPath;
      readonly folder: ReadOnlyFolder;
      readonly names: readonly string[];
    }
  /** The folders that lie below the path, which is none itself. */
  | { readonly kind: 'above'; readonly path: VirtualPath; readonly folders: readonly ReadOnlyFolder[] };

/**
 * `undefined` for a path that is not below their root. Throws `not_found` for one that leads to none of the user's
 * folders, and `invalid` for one that is badly written.
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

/** Whether a path is the folder itself or leads on from it. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
