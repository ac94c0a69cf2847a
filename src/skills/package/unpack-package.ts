// Unpacks a package into a folder that is not visible yet. Counts the actual bytes, not the declared ones.
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { invalid, ServiceError } from '../../errors.ts';
import { damagedPackage, openPackage, packageFiles } from '../../workspace/artifacts/skill-package.ts';
import { type Folder, insideFolder } from '../../workspace/folder.ts';
import { createSynced } from '../../workspace/plain-file.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { fileKind, KIND_BYTES } from '../scan/file-kind.ts';
import { tooLarge } from '../skill-text.ts';
import { packageLayout } from './package-layout.ts';

interface UnpackRequest {
  /** The package, open for reading. It stays open. */
  readonly fd: number;
  /** The size of the package in bytes. */
  readonly size: number;
  readonly into: Folder;
}

const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1_048_576;

/**
 * Returns the files, and the name of the one folder in the package. Throws `invalid` for an unsafe or broken
 * package, `payload_too_large` when it unpacks to too much.
 */
export async function unpackPackage({ fd, size, into }: UnpackRequest) {
  try {
    const zip = await openPackage(fd);
    const layout = packageLayout(await packageFiles(zip));
    const maxBytes = Math.max(RATIO_COUNTS_FROM, Math.min(MAX_UNPACKED_BYTES, size * MAX_RATIO));
    // Checks declared sizes before writing anything. Entries that declare too little are refused later.
    createCounter(maxBytes)(layout.files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0));
    const counter = createCounter(maxBytes);
    const files: { path: string; size: number }[] = [];
    for (const { entry, names } of layout.files) {
      const file = { names, pieces: unpacked(zip, entry) };
      files.push({ path: names.join('/'), size: await writePackageFile(into, file, counter) });
    }
    return { folder: layout.folder, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
  } catch (error) {
    if (error instanceof ServiceError || isFileSystemError(error)) throw error;
    throw damagedPackage(error);
  }
}

async function* unpacked(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    const bytes = Buffer.from(piece);
    sum = crc32(bytes, sum);
    yield bytes;
  }
  if (sum !== entry.crc32) throw invalid('The package is damaged.');
}

/** The limit for all files of a skill together. */
export const MAX_UNPACKED_BYTES = 100 * 1_048_576;

/** Throws `payload_too_large` when the total exceeds the limit. */
type ByteCounter = (bytes: number) => void;

export function createCounter(maxBytes: number): ByteCounter {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > maxBytes) throw tooLarge('The package unpacks to far more than the limit.');
  };
}

/** Returns the size once the file is on the disk. Throws `invalid` for a compiled program. */
export function writePackageFile(
  into: Folder,
  { names, pieces }: { readonly names: readonly string[]; readonly pieces: AsyncIterable<Uint8Array> },
  counter: ByteCounter,
): Promise<number> {
  const at = { names: names.slice(0, -1), create: true };
  return insideFolder(into, at, async (folder) => {
    let size = 0;
    await createSynced(folder, names.at(-1) ?? '', async (handle) => {
      for await (const piece of pieces) {
        counter(piece.length);
        if (size === 0) refuseProgram(names.join('/'), piece.subarray(0, KIND_BYTES));
        size += piece.length;
        await handle.writeFile(piece);
      }
    });
    await folder.sync();
    return size;
  });
}

function refuseProgram(path: string, head: Uint8Array): void {
  if (fileKind(path, head) === 'program')
    throw invalid(`The package contains the compiled program ${JSON.stringify(path)} and was not installed.`);
}
