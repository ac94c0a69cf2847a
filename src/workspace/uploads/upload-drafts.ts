// Incoming files: written where no reader sees them, then moved to their places, all of them or none.
import { type FileHandle, link, readdir, unlink } from 'node:fs/promises';
import { createChildFile, type Folder, insideDrafts } from '../folder.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import { type Pieces, writePieces } from '../write-pieces.ts';
import { namesLike, sameNameKey } from './upload-name.ts';

interface Draft {
  readonly id: string;
  readonly handle: FileHandle;
}

/** Well below the time after which the draft sweeper considers a draft abandoned. */
const TOUCH_MS = 10_000;

/** The drafts of one request. Those that were not placed are removed with it. */
export class UploadDrafts {
  readonly #folder: Folder;
  readonly #newId: () => string;
  readonly #drafts: Draft[] = [];

  constructor(folder: Folder, newId: () => string) {
    this.#folder = folder;
    this.#newId = newId;
  }

  /** Returns the id of a new draft with these bytes, which are on the disk. Throws errors of `pieces`. */
  async receive(pieces: Pieces): Promise<string> {
    const id = this.#newId();
    const { handle } = await createChildFile(this.#folder, id);
    this.#drafts.push({ id, handle });
    await writePieces(handle, pieces);
    await handle.sync();
    return id;
  }

  /** Moves the draft into `target` under the first unused name like `name`. Returns that name. */
  async place(id: string, target: Folder, name: string): Promise<string> {
    const taken = new Set((await readdir(target.self)).map(sameNameKey));
    for (const candidate of namesLike(name)) {
      if (taken.has(sameNameKey(candidate))) continue;
      try {
        // Not renamed, because that would replace a file that was created a moment ago.
        await link(this.#folder.at(id), target.at(candidate));
        await unlink(this.#folder.at(id));
        await target.sync();
        return candidate;
      } catch (error) {
        if (!isFileSystemError(error, 'EEXIST')) throw error;
        taken.add(sameNameKey(candidate));
      }
    }
    throw new Error('There is no last name.');
  }

  /** Keeps drafts that wait for others from looking abandoned. */
  async touch(): Promise<void> {
    const now = new Date();
    await Promise.all(this.#drafts.map(({ handle }) => handle.utimes(now, now).catch(() => {})));
  }

  async discard(): Promise<void> {
    for (const { id, handle } of this.#drafts) {
      await handle.close().catch(() => {});
      await unlink(this.#folder.at(id)).catch(() => {});
    }
  }
}

/** Removes what `use` has not placed, however it ends. */
export function withUploadDrafts<Result>(
  { dataHome, newId }: { readonly dataHome: string; readonly newId: () => string },
  use: (drafts: UploadDrafts) => Promise<Result>,
): Promise<Result> {
  return insideDrafts(dataHome, async (folder) => {
    const drafts = new UploadDrafts(folder, newId);
    const touching = setInterval(() => void drafts.touch(), TOUCH_MS);
    try {
      return await use(drafts);
    } finally {
      clearInterval(touching);
      await drafts.discard();
    }
  });
}
