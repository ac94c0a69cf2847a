// Files that commands write. A new file appears complete or not at all; file system errors become sentences.
import { lstat, open, rename, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ifThere, isFileSystemError } from '../workspace/workspace-failure.ts';

/** Readable only by its owner. */
const PRIVATE_MODE = 0o600;

interface NewFile {
  readonly path: string;
  readonly pieces: Readable;
  readonly signal: AbortSignal;
  /** Called with the number of bytes written so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Writes a draft beside `path` and renames it at the end. Returns the number of its bytes. Throws file system errors, such as `EEXIST` when
 * `path` exists. A failed or aborted write leaves nothing; SIGKILL may leave `<path>.<process id>.partial`.
 */
export async function writeNewFile({ path, pieces, signal, onBytes }: NewFile): Promise<number> {
  await refuseExisting(path);
  const draft = `${path}.${process.pid}.partial`;
  const handle = await open(draft, 'wx', PRIVATE_MODE);
  try {
    const file = handle.createWriteStream({ flush: true });
    await pipeline(counting(pieces, onBytes), file, { signal });
    // Another process may have created the file in the meantime.
    await refuseExisting(path);
    await rename(draft, path);
    return file.bytesWritten;
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** Yields the same pieces. Calls `onBytes` with the number of bytes so far. */
export async function* counting(
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    onBytes(bytes);
    yield piece;
  }
}

/** Throws `EEXIST` when anything exists at the path, even a dangling link. */
export async function refuseExisting(path: string): Promise<void> {
  if ((await ifThere(lstat(path))) !== undefined)
    throw Object.assign(new Error('the file exists'), { code: 'EEXIST' });
}

const SENTENCES = new Map<string, (path: string) => string>([
  ['ENOENT', (path) => `There is no ${path}, or its folder is missing.`],
  ['ENOTDIR', (path) => `${path} cannot be created: its parent is a file, not a folder.`],
  ['EISDIR', (path) => `${path} is a folder.`],
  ['EACCES', (path) => `${path} cannot be opened; check the permissions of the file and its folder.`],
  ['EPERM', (path) => `${path} cannot be opened; check the permissions of the file and its folder.`],
  ['EROFS', (path) => `${path} is on a read-only disk.`],
  ['EEXIST', (path) => `${path} exists already; it was not changed. Name another file, or remove it first.`],
  ['ENOSPC', () => 'The disk is full. Free some space and try again.'],
  ['EDQUOT', () => 'The disk quota is used up. Free some space and try again.'],
  ['EFBIG', (path) => `${path} would be larger than a file may be here.`],
]);

/** Returns a sentence for a file system error, or `undefined` for any other error. */
export function fileFailure(error: unknown, path: string): string | undefined {
  return isFileSystemError(error) ? SENTENCES.get(error.code ?? '')?.(path) : undefined;
}
