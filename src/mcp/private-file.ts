// Small files below the data home that hold secrets: mode 0600, replaced as a whole, links not followed.
import { randomUUID } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { type FileHandle, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../errors.ts';
import { type Folder, insideDataHome } from '../workspace/folder.ts';
import { replaceFile, usePlainFile } from '../workspace/plain-file.ts';
import { describingFailures, ifThere } from '../workspace/workspace-failure.ts';

export interface PrivateFileAt {
  readonly dataHome: string;
  /** The components of its folder, below the data home. */
  readonly names: readonly string[];
  readonly name: string;
  readonly shownAs: string;
}

/**
 * Returns a version that changes with every write, so a cached reading is valid while it is the same;
 * `undefined` when there is no file. Called at every run, so it is one synchronous `lstat`. Reading the file
 * opens its folders without following links.
 */
export function versionOf(at: PrivateFileAt): Promise<string | undefined> {
  return describingFailures(at.shownAs, async () => {
    const stats = lstatSync(join(at.dataHome, ...at.names, at.name), { throwIfNoEntry: false });
    return stats && toVersion(stats);
  });
}

/** Returns `undefined` without a file. Throws `invalid` for a link, a folder, or more than `maxBytes`. */
export function readPrivateFile(at: PrivateFileAt, maxBytes: number) {
  return inFolder(at, (folder) =>
    usePlainFile({ folder, name: at.name, shownAs: at.shownAs }, async ({ handle, stats }) => {
      if (stats.size > maxBytes) throw invalid(`${at.shownAs} has more than ${maxBytes} bytes.`);
      return { text: await handle.readFile('utf8'), version: toVersion(stats) };
    }),
  );
}

/** Writes the file as a whole. Durable when it resolves. */
export function writePrivateFile(at: PrivateFileAt, text: string): Promise<void> {
  return describingFailures(at.shownAs, () => replaceText(at, text));
}

/** As `writePrivateFile`, but throws what the file system throws. */
export function replaceText(
  { dataHome, names, name }: Omit<PrivateFileAt, 'shownAs'>,
  text: string,
): Promise<void> {
  const content = { draft: randomUUID(), write: (handle: FileHandle) => handle.writeFile(text, 'utf8') };
  return insideDataHome(dataHome, { names, create: true }, (folder) =>
    replaceFile(dataHome, { folder, name }, content),
  );
}

/** Removes the file. Idempotent. A removed secret does not come back with a power cut. */
export async function removePrivateFile(at: PrivateFileAt): Promise<void> {
  await inFolder(at, async (folder) => {
    await unlink(folder.at(at.name));
    await folder.sync();
  });
}

function inFolder<Result>(
  { dataHome, names, shownAs }: PrivateFileAt,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result | undefined> {
  return describingFailures(shownAs, () => ifThere(insideDataHome(dataHome, { names, create: false }, use)));
}

/** Returns a text that differs for another file, and after a write. */
export function toVersion({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`;
}
