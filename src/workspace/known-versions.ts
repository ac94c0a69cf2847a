// What an agent knows of files: the version of each that it read or wrote last. It changes nothing that it does not know.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { invalid } from '../errors.ts';
import { type FileAt, type OpenFile, usePlainFile } from './plain-file.ts';
import { ifThere } from './workspace-failure.ts';

/** By virtual path; another version after every change of a file. */
export interface KnownVersions {
  get(path: string): string | undefined;
  set(path: string, version: string): void;
}

/** Above that, a file is known by what the file system says of it. */
const MAX_HASHED_BYTES = 8_388_608;
const { O_RDONLY } = constants;

/** The SHA-256 of the file, or of a large one something else that changes with it. */
export async function versionOf({ handle, stats }: OpenFile): Promise<string> {
  if (stats.size > MAX_HASHED_BYTES) return `${stats.ino}-${stats.size}-${stats.mtimeMs}`;
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(stats.size), 0, stats.size, 0);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
}

/** `undefined` when there is no such file. */
function currentVersion(file: FileAt): Promise<string | undefined> {
  return ifThere(usePlainFile(file, O_RDONLY, versionOf));
}

/** Throws `invalid` with what to do when the file is there and not as it is known. */
export async function requireKnown(file: FileAt, known: KnownVersions): Promise<void> {
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

/** Writes, and knows the file as it is then. */
export async function writeKnowing(
  file: FileAt,
  known: KnownVersions,
  write: () => Promise<void>,
): Promise<void> {
  await write();
  const version = await currentVersion(file);
  if (version !== undefined) known.set(file.shownAs, version);
}

/** Adds to a file: what was not known before is not known then. */
export async function appendKnowing(
  file: FileAt,
  known: KnownVersions,
  append: () => Promise<void>,
): Promise<void> {
  const before = await currentVersion(file);
  if (before === undefined || before === known.get(file.shownAs)) await writeKnowing(file, known, append);
  else await append();
}
