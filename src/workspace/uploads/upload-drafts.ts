// Files on their way in: written where nobody looks, then moved to where they belong, all of them or none.
import { constants } from 'node:fs';
import { type FileHandle, link, readdir, unlink } from 'node:fs/promises';
import { type Folder, insideDataHome, openChildFile } from '../folder.ts';
import { DRAFTS } from '../paths.ts';
import { isFileSystemError } from '../workspace-failure.ts';
import { writePieces } from '../write-pieces.ts';
import { namesLike, sameNameKey } from './upload-name.ts';

interface Draft {
  readonly id: string;
  readonly handle: FileHandle;
}

const { O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Much more often than abandoned drafts are looked for. */
const TOUCH_MS = 10_000;

/** The drafts of one request; those that were not placed go with it. */
export class UploadDrafts {
  readonly #folder: Folder;
  readonly #newId: () => string;
  readonly #drafts: Draft[] = [];

  constructor(folder: Folder, newId: () => string) {
    this.#folder = folder;
    this.#newId = newId;
  }

  /** The id of a new draft with these bytes, which are on the disk. Throws what `pieces` throws. */
  async receive(pieces: AsyncIterable<Uint8Array>): Promise<string> {
    const id = this.#newId();
    const { handle } = await openChildFile(this.#folder, id, O_WRONLY | O_CREAT | O_EXCL);
    this.#drafts.push({ id, handle });
    await writePieces(handle, pieces);
    await handle.sync();
    return id;
  }

  /** Moves the draft into `target` under the first name like `name` that is free, which it answers. */
  async place(id: string, target: Folder, name: string): Promise<string> {
    const taken = new Set((await readdir(target.self)).map(sameNameKey));
    for (const candidate of namesLike(name)) {
      if (taken.has(sameNameKey(candidate))) continue;
      try {
        // Not renamed: that would take the place of a file that came to be a moment ago.
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

  /** A draft that waits for the others must not look abandoned. */
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

/** Whatever happens in `use`, what it has not placed is removed. */
export function withUploadDrafts<Result>(
  { dataHome, newId }: { readonly dataHome: string; readonly newId: () => string },
  use: (drafts: UploadDrafts) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, async (folder) => {
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
