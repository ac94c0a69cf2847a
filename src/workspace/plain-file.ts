// Regular files with a single name, the only ones that are read or written: opened, and replaced as a whole.
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, rename, unlink } from 'node:fs/promises';
import { invalid } from '../errors.ts';
import {
  createChildFile,
  type Folder,
  insideDrafts,
  type OpenFile,
  openChildFile,
  useFile,
} from './folder.ts';
import type { DiskUse } from './quota/disk-use.ts';
import { NO_SPACE } from './quota/space.ts';
import { ifThere } from './workspace-failure.ts';

/** A file by its folder and name; `shownAs` is the virtual path for messages. */
export interface FileAt {
  readonly folder: Folder;
  readonly name: string;
  readonly shownAs: string;
}

const PRIVATE_MODE = 0o600;
const ASKED_EVERY = 4_194_304;

/** Opens a file, and closes it after `use`. Throws `invalid` for a folder, link, device or second name. */
export function usePlainFile<Result>(
  file: FileAt,
  use: (opened: OpenFile) => Promise<Result>,
): Promise<Result> {
  return useFile(openChildFile(file.folder, file.name), async (opened) => {
    refuseUnlessPlain(opened.stats, file.shownAs);
    return use(opened);
  });
}

/** What writing a draft that replaces a file needs. */
export interface DraftParts {
  readonly dataHome: string;
  readonly newId: () => string;
  /** Called to admit the growth before the file is replaced, and to record it afterwards. */
  readonly diskUse: Pick<DiskUse, 'admit' | 'added'>;
}

/**
 * Replaces the whole file; durable when it resolves. Every reader, even after a crash, sees the old or the
 * new text. Keeps the mode.
 */
export function replacePlainFile(
  file: FileAt,
  content: string | Uint8Array,
  parts: DraftParts,
): Promise<void> {
  return throughDraft(file, parts, (handle) => handle.writeFile(content));
}

/** Like `replacePlainFile`, for bytes that arrive in pieces. */
export function receivePlainFile(
  file: FileAt,
  pieces: AsyncIterable<Uint8Array>,
  parts: DraftParts,
): Promise<void> {
  return throughDraft(file, parts, async (handle, existing) => {
    const entries = existing === undefined ? 1 : 0;
    let written = 0;
    for await (const piece of pieces) {
      await handle.writeFile(piece);
      const before = written;
      written += piece.length;
      // Also before the end, because a file that is too large must not fill the disk first.
      if (Math.floor(written / ASKED_EVERY) > Math.floor(before / ASKED_EVERY))
        await parts.diskUse.admit({ bytes: written, entries });
    }
  });
}

/**
 * Appends to a file, and creates it when missing. Replaces it like `replacePlainFile`, because after
 * appending in place a crash could leave half the text.
 */
export function appendPlainFile(file: FileAt, content: string, parts: DraftParts): Promise<void> {
  return throughDraft(file, parts, async (handle, existing) => {
    if (existing !== undefined) await usePlainFile(file, (old) => copy(old.handle, handle));
    await handle.writeFile(content, 'utf8');
  });
}

async function throughDraft(
  file: FileAt,
  { dataHome, newId, diskUse }: DraftParts,
  write: (handle: FileHandle, existing: Stats | undefined) => Promise<void>,
): Promise<void> {
  const existing = await ifThere(lstat(file.folder.at(file.name)));
  if (existing !== undefined) refuseUnlessPlain(existing, file.shownAs);
  let growth = NO_SPACE;
  await replaceFile(dataHome, file, {
    draft: newId(),
    async write(handle) {
      await write(handle, existing);
      await handle.chmod((existing?.mode ?? PRIVATE_MODE) & 0o777);
      growth = {
        bytes: (await handle.stat()).size - (existing?.size ?? 0),
        entries: existing === undefined ? 1 : 0,
      };
      await diskUse.admit(growth);
    },
  });
  diskUse.added(growth);
}

interface NewContent {
  /** The name of the draft. */
  readonly draft: string;
  readonly write: (handle: FileHandle) => Promise<void>;
}

/**
 * Replaces whatever has that name, if anything, by what `write` writes; durable when it resolves. A failure
 * leaves it as it was.
 */
export function replaceFile(
  dataHome: string,
  { folder, name }: Pick<FileAt, 'folder' | 'name'>,
  { draft, write }: NewContent,
): Promise<void> {
  return insideDrafts(dataHome, async (drafts) => {
    try {
      await createSynced(drafts, draft, write);
      await rename(drafts.at(draft), folder.at(name));
      await folder.sync();
    } catch (error) {
      await unlink(drafts.at(draft)).catch(() => undefined);
      throw error;
    }
  });
}

/** Creates a file with what `write` writes. When it resolves, the content is durable; the name may not be. */
export function createSynced(
  folder: Folder,
  name: string,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  return useFile(createChildFile(folder, name), async ({ handle }) => {
    await write(handle);
    await handle.sync();
  });
}

/** With the usual pieces of streams, copying would take twice as long. */
const COPIED_AT_ONCE = 1024 * 1024;

function copy(from: FileHandle, to: FileHandle): Promise<void> {
  return to.writeFile(from.createReadStream({ autoClose: false, highWaterMark: COPIED_AT_ONCE }));
}

/** A second name may lie anywhere on the disk, so neither the contents nor other readers are known. */
function refuseUnlessPlain(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw invalid(`${path} is a folder, not a file.`);
  if (!stats.isFile()) throw invalid(`${path} is a link or a device, not a file; links are not followed.`);
  if (stats.nlink > 1) throw invalid(`${path} has another name elsewhere (a hard link) and cannot be used.`);
}
