// Unpacks a `.skill` package into a folder that nobody sees yet.
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { invalid, ServiceError } from '../../errors.ts';
import { packageFiles } from '../../workspace/artifacts/skill-package.ts';
import type { Folder } from '../../workspace/folder.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { packageLayout } from './package-layout.ts';
import { createCounter, MAX_UNPACKED_BYTES, writePackageFile } from './write-package-file.ts';

export interface Unpacked {
  /** Of the package's own one folder. */
  readonly folder: string | undefined;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

interface UnpackRequest {
  /** Of the package, open for reading; it stays open. */
  readonly fd: number;
  /** Of the package, in bytes. */
  readonly size: number;
  readonly into: Folder;
}

const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1_048_576;

/** Throws `invalid` for what is no package or not safe, `payload_too_large` for one that unpacks to too much. */
export async function unpackPackage({ fd, size, into }: UnpackRequest): Promise<Unpacked> {
  try {
    const zip = await fromFdPromise(fd, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    const layout = packageLayout(await packageFiles(zip));
    const maxBytes = Math.max(RATIO_COUNTS_FROM, Math.min(MAX_UNPACKED_BYTES, size * MAX_RATIO));
    // Before anything is written. Entries that say too little are refused when more comes out of them.
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
    throw new ServiceError('invalid', 'The package is not a zip file, or it is damaged.', { cause: error });
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
