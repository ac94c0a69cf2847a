// What a path leads to that lies beside the thread's files, among the folders of a user that can only be read.
import { ServiceError } from '../../errors.ts';
import { parsePathBelow, type VirtualPath } from '../paths.ts';
import type { ReadOnlyFolder, ReadOnlyFolders } from './read-only-folders.ts';

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
