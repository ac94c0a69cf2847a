// Regular files with one name, the only ones that are read or written: opened, and replaced as a whole.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, rename, unlink } from 'node:fs/promises';
import { invalid } from '../errors.ts';
import { type Folder, openChildFile } from './folder.ts';
import type { DiskUse } from './quota/disk-use.ts';
import { NO_SPACE } from './quota/space.ts';
import { ifThere } from './workspace-failure.ts';

/** A file by its folder and name; `shownAs` is the virtual path for messages. */
export interface FileAt {
  readonly folder: Folder;
  readonly name: string;
  readonly shownAs: string;
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
const PRIVATE_MODE = 0o600;
const ASKED_EVERY = 4_194_304;

/** Opens, uses and closes the file; throws `invalid` when it is a folder, a link, a device or has a second name. */
export async function usePlainFile<Result>(
  file: FileAt,
  flags: number,
  use: (opened: OpenFile) => Promise<Result>,
): Promise<Result> {
  const opened = await openChildFile(file.folder, file.name, flags);
  try {
    refuseUnlessPlain(opened.stats, file.shownAs);
    return await use(opened);
  } finally {
    await opened.handle.close();
  }
}

/** Where the new file is written before it takes the place of the old one. */
export interface DraftAt {
  readonly drafts: Folder;
  readonly name: string;
  /** Is asked before the file takes its place, and told. */
  readonly diskUse: Pick<DiskUse, 'admit' | 'added'>;
}

/** Writes the whole text anew, on the disk when it resolves. Every reader, also after a crash, sees the old or the new text; the mode is kept. */
export function replacePlainFile(file: FileAt, content: string, draft: DraftAt): Promise<void> {
  return throughDraft(file, draft, (handle) => handle.writeFile(content, 'utf8'));
}

/** Like `replacePlainFile`, for bytes that come one piece after the other. */
export function receivePlainFile(
  file: FileAt,
  pieces: AsyncIterable<Uint8Array>,
  draft: DraftAt,
): Promise<void> {
  return throughDraft(file, draft, async (handle, existing) => {
    const entries = existing === undefined ? 1 : 0;
    let written = 0;
    for await (const piece of pieces) {
      await handle.writeFile(piece);
      const before = written;
      written += piece.length;
      // Not only at its end: what is too large must not fill the disk first.
      if (Math.floor(written / ASKED_EVERY) > Math.floor(before / ASKED_EVERY))
        await draft.diskUse.admit({ bytes: written, entries });
    }
  });
}

/** Adds to the end, creating the file. Like `replacePlainFile`: added to in place, a crash could leave half the text. */
export function appendPlainFile(file: FileAt, content: string, draft: DraftAt): Promise<void> {
  return throughDraft(file, draft, async (handle, existing) => {
    if (existing !== undefined) await usePlainFile(file, O_RDONLY, (old) => copy(old.handle, handle));
    await handle.writeFile(content, 'utf8');
  });
}

async function throughDraft(
  file: FileAt,
  draft: DraftAt,
  write: (handle: FileHandle, existing: Stats | undefined) => Promise<void>,
): Promise<void> {
  const existing = await ifThere(lstat(file.folder.at(file.name)));
  if (existing !== undefined) refuseUnlessPlain(existing, file.shownAs);
  const draftPath = draft.drafts.at(draft.name);
  let growth = NO_SPACE;
  try {
    const { handle } = await openChildFile(draft.drafts, draft.name, O_WRONLY | O_CREAT | O_EXCL);
    try {
      await write(handle, existing);
      await handle.chmod((existing?.mode ?? PRIVATE_MODE) & 0o777);
      growth = {
        bytes: (await handle.stat()).size - (existing?.size ?? 0),
        entries: existing === undefined ? 1 : 0,
      };
      await draft.diskUse.admit(growth);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draftPath, file.folder.at(file.name));
    draft.diskUse.added(growth);
    await file.folder.sync();
  } catch (error) {
    await unlink(draftPath).catch(() => undefined);
    throw error;
  }
}

const COPIED_AT_ONCE = 1024 * 1024;

async function copy(from: FileHandle, to: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(COPIED_AT_ONCE);
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    await to.writeFile(buffer.subarray(0, bytesRead));
  }
}

/** A second name of a file may lie anywhere on the disk: neither what it holds nor who else reads it is known. */
function refuseUnlessPlain(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw invalid(`${path} is a folder, not a file.`);
  if (!stats.isFile()) throw invalid(`${path} is a link or a device, not a file; links are not followed.`);
  if (stats.nlink > 1) throw invalid(`${path} has a second name elsewhere (a hard link) and is not touched.`);
}
