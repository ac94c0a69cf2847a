// Unpacks a `.skill` package into a folder that nobody sees yet. What comes out is counted as it comes, not as it is said.
import { constants } from 'node:fs';
import { crc32 } from 'node:zlib';
import { fromFdPromise, type ZipFile } from 'yauzl';
import { invalid, ServiceError } from '../../errors.ts';
import { packageFiles } from '../../workspace/artifacts/skill-package.ts';
import { type Folder, insideFolder, openChildFile } from '../../workspace/folder.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { fileKind, KIND_BYTES } from '../scan/file-kind.ts';
import { type PackagedFile, packageLayout } from './package-layout.ts';

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

const MAX_BYTES = 100 * 1_048_576;
const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1_048_576;
const { O_WRONLY, O_CREAT, O_EXCL } = constants;

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
    const counter = createCounter(Math.max(RATIO_COUNTS_FROM, Math.min(MAX_BYTES, size * MAX_RATIO)));
    const files: { path: string; size: number }[] = [];
    for (const file of layout.files)
      files.push({ path: file.names.join('/'), size: await unpackFile(zip, file, { into, counter }) });
    return { folder: layout.folder, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
  } catch (error) {
    if (error instanceof ServiceError || isFileSystemError(error)) throw error;
    throw new ServiceError('invalid', 'The package is not a zip file, or it is damaged.', { cause: error });
  }
}

type Counter = (bytes: number) => void;

function createCounter(maxBytes: number): Counter {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > maxBytes)
      throw new ServiceError('payload_too_large', 'The package unpacks to far more than it may.');
  };
}

interface Target {
  readonly into: Folder;
  readonly counter: Counter;
}

/** Its real size. */
async function unpackFile(zip: ZipFile, { entry, names }: PackagedFile, to: Target): Promise<number> {
  const name = names.at(-1) ?? '';
  const at = { names: names.slice(0, -1), create: true };
  return insideFolder(to.into, at, async (folder) => {
    const { handle } = await openChildFile(folder, name, O_WRONLY | O_CREAT | O_EXCL);
    try {
      let size = 0;
      let sum = 0;
      for await (const piece of await zip.openReadStreamPromise(entry)) {
        const bytes = Buffer.from(piece);
        to.counter(bytes.length);
        if (size === 0) refuseProgram(names.join('/'), bytes.subarray(0, KIND_BYTES));
        sum = crc32(bytes, sum);
        size += bytes.length;
        await handle.writeFile(bytes);
      }
      if (sum !== entry.crc32) throw invalid('The package is damaged.');
      return size;
    } finally {
      await handle.close();
    }
  });
}

function refuseProgram(path: string, head: Uint8Array): void {
  if (fileKind(path, head) === 'program')
    throw invalid(`The package holds the compiled program ${JSON.stringify(path)} and is not installed.`);
}
