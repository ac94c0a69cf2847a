// Stores an incoming package in an unnamed file until it is read, so that nothing of it remains after a
// crash.
import { type FileHandle, unlink } from 'node:fs/promises';
import { atMost } from '../at-most.ts';
import { ServiceError } from '../errors.ts';
import { createChildFile, insideDrafts, type OpenFile, useFile } from '../workspace/folder.ts';
import { diskFull, type FreeDisk, isDiskFull } from '../workspace/quota/free-disk.ts';

export interface Spool {
  readonly dataHome: string;
  readonly maxBytes: number;
  readonly freeDisk: FreeDisk;
  readonly newId: () => string;
}

/** Bytes between two checks of free space, because other writers use the disk, too. */
const ASKED_EVERY = 4_194_304;

/**
 * Calls `use` with the descriptor of the stored package, and closes it afterwards. Throws
 * `payload_too_large`, `insufficient_storage` at the minimum of free space, and whatever the pieces throw.
 */
export function withSpooled<Result>(
  spool: Spool,
  pieces: AsyncIterable<Uint8Array>,
  use: (fd: number) => Promise<Result>,
): Promise<Result> {
  return useFile(openUnnamed(spool), async ({ handle }) => {
    await receive(handle, pieces, spool);
    return use(handle.fd);
  });
}

function openUnnamed({ dataHome, newId }: Spool): Promise<OpenFile> {
  return insideDrafts(dataHome, async (drafts) => {
    const name = newId();
    const file = await createChildFile(drafts, name);
    await unlink(drafts.at(name));
    return file;
  });
}

async function receive(
  handle: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  { maxBytes, freeDisk }: Spool,
): Promise<void> {
  const tooLarge = `The package is larger than ${Math.floor(maxBytes / 1_048_576)} MB.`;
  const refusal = () => new ServiceError('payload_too_large', tooLarge);
  let unchecked = 0;
  if ((await freeDisk()) <= 0) throw diskFull();
  for await (const piece of atMost(pieces, maxBytes, refusal)) {
    unchecked += piece.length;
    if (unchecked >= ASKED_EVERY) {
      if ((await freeDisk()) <= 0) throw diskFull();
      unchecked = 0;
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
