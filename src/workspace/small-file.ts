// Small files read without a trip to another thread for each step: a few microseconds where the trips take a hundred.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import type { Folder } from './folder.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

interface SmallFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/**
 * `undefined` for what is no plain file with one name, is larger than `maxBytes`, or changed its place meanwhile. Throws
 * what the file system throws. It holds the thread up: for threads of their own, and for a few files at a time.
 */
export function readSmallFile(folder: Folder, name: string, maxBytes: number): SmallFile | undefined {
  const path = folder.at(name);
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(fd, { bigint: true });
    const isPlain = stats.isFile() && stats.nlink === 1n;
    if (!isPlain || stats.size > BigInt(maxBytes) || !isSame(path, stats)) return undefined;
    return { bytes: readFileSync(fd), stats };
  } finally {
    closeSync(fd);
  }
}

/** Without descriptors in the path, what was opened must still be what the path, free of links, names. */
function isSame(path: string, opened: BigIntStats): boolean {
  if (path.startsWith('/proc/self/fd/')) return true;
  const named = lstatSync(path, { bigint: true });
  return named.ino === opened.ino && named.dev === opened.dev && realpathSync(path) === path;
}
