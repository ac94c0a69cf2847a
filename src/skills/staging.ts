// A folder in which a skill is made before it takes its place, as one.
import { mkdir, rm, utimes } from 'node:fs/promises';
import { type Folder, insideDataHome, insideFolder } from '../workspace/folder.ts';
import { DRAFTS } from '../workspace/paths.ts';

interface Staged {
  readonly folder: Folder;
  /** A path for a rename. */
  readonly path: string;
}

/** Much more often than abandoned drafts are looked for. */
const TOUCH_MS = 10_000;

/** What has not been renamed away when `use` ends is removed. */
export function withStaging<Result>(
  { dataHome, newId }: { readonly dataHome: string; readonly newId: () => string },
  use: (staged: Staged) => Promise<Result>,
): Promise<Result> {
  return insideDataHome(dataHome, { names: [DRAFTS], create: true }, async (drafts) => {
    const name = newId();
    const path = drafts.at(name);
    await mkdir(path, { mode: 0o700 });
    const touching = setInterval(() => {
      const now = new Date();
      void utimes(path, now, now).catch(() => {});
    }, TOUCH_MS);
    try {
      return await insideFolder(drafts, { names: [name], create: false }, (folder) => use({ folder, path }));
    } finally {
      clearInterval(touching);
      await rm(path, { recursive: true, force: true });
    }
  });
}
