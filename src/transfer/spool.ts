// A package that arrives lies in a file without a name until it is read: whatever dies, nothing of it is left.
import { constants } from 'node:fs';
import { type FileHandle, unlink } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';
import { insideDataHome, openChildFile } from '../workspace/folder.ts';
import { DRAFTS } from '../workspace/paths.ts';
import { diskFull, type FreeDisk, isDiskFull } from '../workspace/quota/free-disk.ts';

export interface Spool {
  readonly dataHome: string;
  readonly maxBytes: number;
  readonly freeDisk: FreeDisk;
  readonly newId: () => string;
}

const { O_RDWR, O_CREAT, O_EXCL } = constants;
/** Others write to the disk meanwhile: how much is free is asked again after so many bytes. */
const ASKED_EVERY = 4_194_304;

/**
 * Throws `payload_too_large`, `insufficient_storage` at the floor of free space, and whatever the pieces throw. The
 * descriptor is closed afterwards.
 */
export async function withSpooled<Result>(
  spool: Spool,
  pieces: AsyncIterable<Uint8Array>,
  use: (fd: number) => Promise<Result>,
): Promise<Result> {
  const handle = await openUnnamed(spool);
  try {
    await receive(handle, pieces, spool);
    return await use(handle.fd);
  } finally {
    await handle.close();
  }
}

function openUnnamed({ dataHome, newId }: Spool): Promise<FileHandle> {
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, async (drafts) => {
    const name = newId();
    const { handle } = await openChildFile(drafts, name, O_RDWR | O_CREAT | O_EXCL);
    await unlink(drafts.at(name));
    return handle;
  });
}

async function receive(
  handle: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  { maxBytes, freeDisk }: Spool,
): Promise<void> {
  let size = 0;
  let askedAt = 0;
  if ((await freeDisk()) <= 0) throw diskFull();
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxBytes) {
      throw new ServiceError(
        'payload_too_large',
        `The package is larger than ${Math.floor(maxBytes / 1_048_576)} MB.`,
      );
    }
    if (size - askedAt >= ASKED_EVERY) {
      if ((await freeDisk()) <= 0) throw diskFull();
      askedAt = size;
    }
    await write(handle, piece);
  }
}

async function write(handle: FileHandle, piece: Uint8Array): Promise<void> {
  try {
    await handle.writeFile(piece);
  } catch (error) {
    throw isDiskFull(error) ? diskFull() : error;
  }
}
