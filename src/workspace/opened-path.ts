// Whether an opened file or folder is the one that its path names: the only guard against swapped links.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Paths through a descriptor. They stay in the open folder, wherever its own path leads by now. */
const DESCRIPTORS = '/proc/self/fd/';
/** Checked once, when the module is loaded. */
const HAS_DESCRIPTORS = process.platform === 'linux' && existsSync(DESCRIPTORS);

/**
 * Returns an open folder as the beginning of paths: through its descriptor where the system supports that.
 */
export function placeOf(fd: number, path: string): { readonly self: string; at(name: string): string } {
  const self = HAS_DESCRIPTORS ? `${DESCRIPTORS}${fd}` : path;
  return { self, at: (name) => join(self, name) };
}

/** True for a path without a descriptor: it must be free of links and still name what was opened. */
export function needsCheck(path: string): boolean {
  return !path.startsWith(DESCRIPTORS);
}

interface Identity {
  readonly ino: number | bigint;
  readonly dev: number | bigint;
}

interface OpenedIdentity {
  readonly path: string;
  readonly opened: Identity;
  /** What the path names now, and that path with links resolved. */
  readonly named: Identity;
  readonly real: string;
}

export function isInPlace({ path, opened, named, real }: OpenedIdentity): boolean {
  return named.ino === opened.ino && named.dev === opened.dev && real === path;
}

export function moved(): Error {
  return Object.assign(new Error('The path changed while it was being opened'), { code: 'ELOOP' });
}
