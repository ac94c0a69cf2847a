// Whether what was opened is what its path names: the one guard against a link that is put in the way meanwhile.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Paths through a descriptor: they stay in the folder that is open, whatever its own path leads to by now. */
const DESCRIPTORS = '/proc/self/fd/';
/** Asked once: every look is a trip to another thread. */
const HAS_DESCRIPTORS = process.platform === 'linux' && existsSync(DESCRIPTORS);

/** An open folder as the beginning of paths: through its descriptor where the system can. */
export function placeOf(fd: number, path: string): { readonly self: string; at(name: string): string } {
  const self = HAS_DESCRIPTORS ? `${DESCRIPTORS}${fd}` : path;
  return { self, at: (name) => join(self, name) };
}

/** Without descriptors in the path, what was opened must still be what the path, free of links, names. */
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
  /** What the path names now, and that path without links. */
  readonly named: Identity;
  readonly real: string;
}

export function isInPlace({ path, opened, named, real }: OpenedIdentity): boolean {
  return named.ino === opened.ino && named.dev === opened.dev && real === path;
}

export function moved(): Error {
  return Object.assign(new Error('The path changed while it was opened'), { code: 'ELOOP' });
}
