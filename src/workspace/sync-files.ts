// Synchronous access to files and folders: a few microseconds where the thread pool takes a hundred, and far
// more on a busy machine. It blocks the thread, so use it in worker threads, and briefly.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from 'node:fs';
import type { Folder } from './folder.ts';
import { isInPlace, moved, needsCheck, placeOf } from './opened-path.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A folder that is closed by its opener, not by its users. */
export type OpenFolder = Pick<Folder, 'self' | 'at'>;

/** Uses a folder in `parent`, like `insideFolder`. Throws errors of the file system. */
export function insideChildSync<Result>(
  parent: OpenFolder,
  name: string,
  use: (folder: OpenFolder) => Result,
): Result {
  const path = parent.at(name);
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (!isStillThere(path, () => fstatSync(fd, { bigint: true }))) throw moved();
    return use(placeOf(fd, path));
  } finally {
    closeSync(fd);
  }
}

interface SmallFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/**
 * Returns `undefined` for anything but a regular file with one name, and for a file that is larger than
 * `maxBytes` or was moved in between. Throws errors of the file system.
 */
export function readSmallFile(folder: OpenFolder, name: string, maxBytes: number): SmallFile | undefined {
  const path = folder.at(name);
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(fd, { bigint: true });
    const isPlain = stats.isFile() && stats.nlink === 1n;
    if (!isPlain || stats.size > BigInt(maxBytes)) return undefined;
    if (!isStillThere(path, () => stats)) return undefined;
    return { bytes: bytesOf(fd, Number(stats.size)), stats };
  } finally {
    closeSync(fd);
  }
}

/** Returns fewer bytes when the file was shortened in between. */
function bytesOf(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let read = 0;
  while (read < size) {
    const more = readSync(fd, bytes, read, size - read, read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

function isStillThere(path: string, opened: () => BigIntStats): boolean {
  if (!needsCheck(path)) return true;
  const named = lstatSync(path, { bigint: true });
  return isInPlace({ path, opened: opened(), named, real: realpathSync(path) });
}
