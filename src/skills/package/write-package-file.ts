// Writes a file of a package into a folder that nobody sees yet. What comes is counted as it comes, not as it is said.
import { constants } from 'node:fs';
import { invalid, ServiceError } from '../../errors.ts';
import { type Folder, insideFolder, openChildFile } from '../../workspace/folder.ts';
import { fileKind, KIND_BYTES } from '../scan/file-kind.ts';

/** Of all files of a skill. */
export const MAX_UNPACKED_BYTES = 100 * 1_048_576;

const { O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Throws `payload_too_large` when all bytes together are too many. */
export type ByteCounter = (bytes: number) => void;

export function createCounter(maxBytes: number): ByteCounter {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > maxBytes)
      throw new ServiceError('payload_too_large', 'The package unpacks to far more than it may.');
  };
}

interface PackageFile {
  readonly names: readonly string[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Its size; it is on the disk. Throws `invalid` for a compiled program. */
export function writePackageFile(
  into: Folder,
  { names, pieces }: PackageFile,
  counter: ByteCounter,
): Promise<number> {
  const at = { names: names.slice(0, -1), create: true };
  return insideFolder(into, at, async (folder) => {
    const { handle } = await openChildFile(folder, names.at(-1) ?? '', O_WRONLY | O_CREAT | O_EXCL);
    try {
      let size = 0;
      for await (const piece of pieces) {
        counter(piece.length);
        if (size === 0) refuseProgram(names.join('/'), piece.subarray(0, KIND_BYTES));
        size += piece.length;
        await handle.writeFile(piece);
      }
      await handle.sync();
      await folder.sync();
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
