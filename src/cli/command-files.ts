// Files of commands: one that is made is whole under its name, or not there; what the file system refuses is a sentence.
import { lstat, open, rename, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Readable by its owner only. */
const PRIVATE_MODE = 0o600;

interface NewFile {
  readonly path: string;
  readonly pieces: Readable;
  readonly signal: AbortSignal;
  /** Told how many bytes there are so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Writes beside `path`, and renames at the end. Throws what the file system says: `EEXIST` when something is there
 * already. What fails or is aborted leaves nothing; SIGKILL may leave `<path>.<process id>.partial`.
 */
export async function writeNewFile({ path, pieces, signal, onBytes }: NewFile): Promise<void> {
  await refuseExisting(path);
  const draft = `${path}.${process.pid}.partial`;
  const handle = await open(draft, 'wx', PRIVATE_MODE);
  try {
    const counted = async function* (source: AsyncIterable<Uint8Array>) {
      let bytes = 0;
      for await (const piece of source) {
        bytes += piece.length;
        onBytes(bytes);
        yield piece;
      }
    };
    await pipeline(pieces, counted, handle.createWriteStream({ flush: true }), { signal });
    // Meanwhile somebody else may have made one.
    await refuseExisting(path);
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** Whatever it is: a link to nothing, too. */
export async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined) throw Object.assign(new Error('the file exists'), { code: 'EEXIST' });
}

const SENTENCES = new Map<string, (path: string) => string>([
  ['ENOENT', (path) => `There is no ${path}, or its folder is missing.`],
  ['ENOTDIR', (path) => `${path} cannot be created: its parent is a file, not a folder.`],
  ['EISDIR', (path) => `${path} is a folder.`],
  ['EACCES', (path) => `${path} may not be opened; check the permissions of the file and its folder.`],
  ['EPERM', (path) => `${path} may not be opened; check the permissions of the file and its folder.`],
  ['EROFS', (path) => `${path} lies on a disk that cannot be written.`],
  ['EEXIST', (path) => `${path} exists already; it was not changed. Name another file, or remove it first.`],
  ['ENOSPC', () => 'The disk is full. Free some space and try again.'],
  ['EDQUOT', () => 'The disk quota is used up. Free some space and try again.'],
  ['EFBIG', (path) => `${path} would be larger than a file may be here.`],
]);

/** `undefined` when the error is none of the file system. */
export function fileFailure(error: unknown, path: string): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return SENTENCES.get(error.code)?.(path);
}
