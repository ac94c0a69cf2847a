// Small files of the service below the data home that hold secrets: mode 0600, replaced as a whole, no link is followed.
import { constants, lstatSync, type Stats } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../errors.ts';
import { type Folder, insideDataHome, openChildFile } from '../workspace/folder.ts';
import { DRAFTS } from '../workspace/paths.ts';
import { usePlainFile } from '../workspace/plain-file.ts';
import { describingFailures, ifThere } from '../workspace/workspace-failure.ts';

export interface PrivateFileAt {
  readonly dataHome: string;
  /** Of its folder, below the data home. */
  readonly names: readonly string[];
  readonly name: string;
  /** What it is called in messages. */
  readonly shownAs: string;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
const PRIVATE_MODE = 0o600;

/**
 * Another one after every write: what was read may be kept as long as it is the same. `undefined`: there is no file. Every
 * run asks, so it is one look in the thread of the service; whoever reads the file opens its folders without links.
 */
export function versionOf(at: PrivateFileAt): Promise<string | undefined> {
  return describingFailures(at.shownAs, async () => {
    const stats = lstatSync(join(at.dataHome, ...at.names, at.name), { throwIfNoEntry: false });
    return stats && toVersion(stats);
  });
}

export interface PrivateText {
  readonly text: string;
  readonly version: string;
}

/** `undefined`: there is no file. Throws `invalid` for a link or a folder, and for more than `maxBytes`. */
export function readPrivateFile(at: PrivateFileAt, maxBytes: number): Promise<PrivateText | undefined> {
  return inFolder(at, (folder) =>
    usePlainFile({ folder, name: at.name, shownAs: at.shownAs }, O_RDONLY, async ({ handle, stats }) => {
      if (stats.size > maxBytes) throw invalid(`${at.shownAs} has more than ${maxBytes} bytes.`);
      return { text: await handle.readFile('utf8'), version: toVersion(stats) };
    }),
  );
}

/** Durable when it resolves. */
export function writePrivateFile(at: PrivateFileAt, text: string, draft: string): Promise<void> {
  return describingFailures(at.shownAs, () => replaceFile(at, text, draft));
}

/** The same; throws what the file system throws. */
export function replaceFile(
  { dataHome, names, name }: Omit<PrivateFileAt, 'shownAs'>,
  text: string,
  draft: string,
): Promise<void> {
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, async (drafts) => {
    const path = drafts.at(draft);
    try {
      const { handle } = await openChildFile(drafts, draft, O_WRONLY | O_CREAT | O_EXCL);
      try {
        await handle.chmod(PRIVATE_MODE);
        await handle.writeFile(text, 'utf8');
        await handle.sync();
      } finally {
        await handle.close();
      }
      await insideDataHome(dataHome, { names, create: true }, async (folder) => {
        await rename(path, folder.at(name));
        await folder.sync();
      });
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    }
  });
}

/** Idempotent. A secret that was removed does not come back with a power cut. */
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

/** Another one for another file, or after a write. */
export function toVersion({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`;
}
