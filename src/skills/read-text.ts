// Reads a text below a folder of skills: a regular file of limited size, in UTF-8.
import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.ts';
import { type Folder, openChildFile, useFile } from '../workspace/folder.ts';
import { isAbsence } from '../workspace/workspace-failure.ts';
import { tooLarge } from './skill-text.ts';

export interface TextAt {
  readonly folder: Folder;
  readonly name: string;
  readonly maxBytes: number;
}

/** Throws `invalid` for a file that is not text, `payload_too_large`, and errors of the file system. */
export function readText({ folder, name, maxBytes }: TextAt): Promise<string> {
  return useFile(openChildFile(folder, name), async ({ handle, stats }) => {
    if (!stats.isFile()) throw invalid(`${name} is not a file.`);
    // One byte more than allowed, because the file may grow in between.
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes) + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead > maxBytes) throw tooLarge(`${name} is larger than ${Math.floor(maxBytes / 1_024)} KiB.`);
    return decodeText(bytes.subarray(0, bytesRead), name);
  });
}

/** Resolves with the result; `undefined` when there is nothing, or something of another kind, at the path. */
export async function ifPresent<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Throws `invalid` for bytes that are not UTF-8 or contain a NUL. */
function decodeText(bytes: Buffer, shownAs: string): string {
  if (bytes.includes(0)) throw invalid(`${shownAs} is not a text.`);
  if (!isUtf8(bytes)) throw invalid(`${shownAs} is not a text in UTF-8.`);
  return bytes.toString('utf8');
}
