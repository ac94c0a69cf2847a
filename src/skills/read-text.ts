// Reads a text below a folder of skills: a plain file of limited size, in UTF-8.
import { constants } from 'node:fs';
import { invalid, ServiceError } from '../errors.ts';
import { type Folder, openChildFile } from '../workspace/folder.ts';

export interface TextAt {
  readonly folder: Folder;
  readonly name: string;
  readonly maxBytes: number;
}

/** Throws `invalid` for what is no text, `payload_too_large`, and what the file system says. */
export async function readText({ folder, name, maxBytes }: TextAt): Promise<string> {
  const { handle, stats } = await openChildFile(folder, name, constants.O_RDONLY);
  try {
    if (!stats.isFile()) throw invalid(`${name} is not a file.`);
    // One byte more than there may be: it may grow meanwhile.
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes) + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead > maxBytes)
      throw new ServiceError(
        'payload_too_large',
        `${name} is larger than ${Math.floor(maxBytes / 1_024)} KiB.`,
      );
    return decodeText(bytes.subarray(0, bytesRead), name);
  } finally {
    await handle.close();
  }
}

/** Throws `invalid` for what is not UTF-8, or has a NUL in it. */
function decodeText(bytes: Uint8Array, shownAs: string): string {
  if (bytes.includes(0)) throw invalid(`${shownAs} is not a text.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError('invalid', `${shownAs} is not a text in UTF-8.`, { cause });
  }
}
