// What an agent knows of files: the version of each that it last read or wrote. It must not change a file
// that it does not know.
import { hash } from 'node:crypto';
import { invalid } from '../errors.ts';
import type { OpenFile } from './folder.ts';
import { type FileAt, usePlainFile } from './plain-file.ts';
import { ifThere } from './workspace-failure.ts';

/** By virtual path. The version differs after every change of a file. */
export interface KnownVersions {
  get(path: string): string | undefined;
  set(path: string, version: string): void;
}

/** The version of a larger file comes from its metadata. */
const MAX_HASHED_BYTES = 8_388_608;

/** Returns the SHA-256 of the file; for a large one, metadata that changes with it. */
export async function versionOf({ handle, stats }: OpenFile): Promise<string> {
  if (stats.size > MAX_HASHED_BYTES) return `${stats.ino}-${stats.size}-${stats.ctimeMs}`;
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(stats.size), 0, stats.size, 0);
  return hash('sha256', buffer.subarray(0, bytesRead));
}

/** Returns `undefined` when there is no such file. */
function currentVersion(file: FileAt): Promise<string | undefined> {
  return ifThere(usePlainFile(file, versionOf));
}

/** `undefined`: the caller need not have read what it changes. */
type Known = KnownVersions | undefined;

/** Throws `invalid`, with what to do, when the file exists in a version that is not known. */
export async function requireKnown(file: FileAt, known: Known): Promise<void> {
  if (known === undefined) return;
  const version = await currentVersion(file);
  if (version !== undefined && version !== known.get(file.shownAs)) throw unknownFile(file.shownAs, known);
}

function unknownFile(path: string, known: KnownVersions) {
  const why =
    known.get(path) === undefined
      ? 'is there already, and you have not read it'
      : 'changed since you read it';
  return invalid(`${path} ${why}. Read it with read_file first, then change it; nothing was written.`);
}

/** Writes the file, then records its new version as known. */
export async function writeKnowing(file: FileAt, known: Known, write: () => Promise<void>): Promise<void> {
  await write();
  if (known === undefined) return;
  const version = await currentVersion(file);
  if (version !== undefined) known.set(file.shownAs, version);
}

/** Appends to a file. If its content was not known before, it is still not known. */
export async function appendKnowing(file: FileAt, known: Known, append: () => Promise<void>): Promise<void> {
  const before = known && (await currentVersion(file));
  const isKnown = before === undefined || before === known?.get(file.shownAs);
  await writeKnowing(file, isKnown ? known : undefined, append);
}
