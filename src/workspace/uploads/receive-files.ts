// The files of one request: received within the limits, then placed, all of them or none.
import { atMost } from '../../at-most.ts';
import { invalid } from '../../errors.ts';
import type { Folder } from '../folder.ts';
import type { DiskUse } from '../quota/disk-use.ts';
import type { Space } from '../quota/space.ts';
import { removeFiles } from './inside-uploads.ts';
import type { UploadDrafts } from './upload-drafts.ts';
import { uploadName } from './upload-name.ts';
import { allTooLarge, fileTooLarge, tooMany, type UploadLimits } from './upload-options.ts';

/**
 * A file as it arrives. `pieces` are read once, before the next file is requested. The reader owns a piece
 * until it requests the next one.
 */
export interface IncomingFile {
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

interface ReceivedFile {
  readonly name: string;
  readonly draft: string;
}

export interface ReceivedFiles {
  readonly files: readonly ReceivedFile[];
  /** The space of all of them. */
  readonly space: Space;
}

interface Receiving {
  readonly drafts: UploadDrafts;
  readonly diskUse: DiskUse;
  readonly limits: UploadLimits;
}

/** Writes drafts. Throws `payload_too_large`, `insufficient_storage`, `invalid`, and errors of the pieces. */
export async function receiveFiles(
  incoming: AsyncIterable<IncomingFile>,
  { drafts, diskUse, limits }: Receiving,
): Promise<ReceivedFiles> {
  const capacity = await diskUse.capacity({ bytes: limits.maxTotalBytes, entries: limits.maxFiles });
  const files: ReceivedFile[] = [];
  let bytes = 0;
  const count = (more: number): void => {
    bytes += more;
    if (bytes > limits.maxTotalBytes) throw allTooLarge(limits);
    if (bytes > capacity.bytes.left) throw capacity.bytes.refusal();
  };
  for await (const { name, pieces } of incoming) {
    if (files.length === limits.maxFiles) throw tooMany(limits);
    if (files.length >= capacity.entries.left) throw capacity.entries.refusal();
    const safe = uploadName(name);
    const own = atMost(pieces, limits.maxFileBytes, () => fileTooLarge(safe, limits));
    files.push({ name: safe, draft: await drafts.receive(counted(own, count)) });
  }
  if (files.length === 0) throw invalid('No files provided: send them in the field "files".');
  return { files, space: { bytes, entries: files.length } };
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

/** Returns the names that the files got, in their order. */
export async function placeFiles(
  files: readonly ReceivedFile[],
  drafts: UploadDrafts,
  folder: Folder,
): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for (const { draft, name } of files) names.push(await drafts.place(draft, folder, name));
    return names;
  } catch (error) {
    await removeFiles(folder, names);
    throw error;
  }
}
