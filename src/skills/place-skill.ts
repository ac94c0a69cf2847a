// A skill is made in a folder that nobody sees, and then put into its place among a person's skills, as one.
import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { conflict, invalid, type ServiceError } from '../errors.ts';
import { type Folder, insideDataHome, insideFolder } from '../workspace/folder.ts';
import { DRAFTS } from '../workspace/paths.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';

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

interface Placing {
  readonly dataHome: string;
  /** The components of the folder of custom skills. */
  readonly names: readonly string[];
  readonly name: string;
  /** The path of the folder that takes its place. */
  readonly from: string;
  readonly maxSkills: number;
  /** Called when nothing is in its way, before it is moved; when it fails, nothing is. */
  readonly whenFree: () => Promise<void>;
}

/** Throws `conflict` when there is a folder of this name, `invalid` when there are too many skills. */
export async function placeSkill({
  dataHome,
  names,
  name,
  from,
  maxSkills,
  whenFree,
}: Placing): Promise<void> {
  await insideDataHome(dataHome, { names, create: true }, async (folder) => {
    const there = await readdir(folder.self);
    if (there.includes(name)) throw exists(name);
    if (there.length >= maxSkills)
      throw invalid(`You have ${maxSkills} skills already, as many as there may be; delete one first.`);
    await whenFree();
    try {
      await rename(from, folder.at(name));
    } catch (error) {
      if (isFileSystemError(error, 'ENOTEMPTY') || isFileSystemError(error, 'EEXIST')) throw exists(name);
      throw error;
    }
    await folder.sync();
  });
}

function exists(name: string): ServiceError {
  return conflict(`You have a skill '${name}' already: one of them must have another name.`);
}
