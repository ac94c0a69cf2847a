// Prepares a skill in a folder that is not visible, then moves it to a person's skills in one step.
import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { conflict, invalid, type ServiceError } from '../errors.ts';
import { type Folder, insideDataHome, insideDrafts, insideFolder } from '../workspace/folder.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';
import { skillPath, skillPlaces } from './skill-places.ts';
import type { SkillSwitches } from './skill-switches.ts';

/** Well below the time after which the draft sweeper considers a draft abandoned. */
const TOUCH_MS = 10_000;

/** Removes the folder when `use` ends, unless it was renamed away, from `path`. */
export function withStaging<Result>(
  { dataHome, newId }: { readonly dataHome: string; readonly newId: () => string },
  use: (staged: { readonly folder: Folder; readonly path: string }) => Promise<Result>,
): Promise<Result> {
  return insideDrafts(dataHome, async (drafts) => {
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

export interface PlacingParts {
  readonly dataHome: string;
  readonly switches: SkillSwitches;
  readonly maxSkills: number;
}

export interface Unplaced {
  readonly userId: string;
  readonly name: string;
  /** The path of the folder that becomes the skill. */
  readonly from: string;
}

/**
 * Moves the folder to the person's skills, and enables it. Throws `conflict` when a folder of this name
 * exists, and `invalid` when there are too many skills. Calls `whenFree` before the move, once the name is
 * free. If that fails, nothing is moved.
 */
export async function placeSkill(
  { dataHome, switches, maxSkills }: PlacingParts,
  { userId, name, from }: Unplaced,
  whenFree: () => Promise<void>,
): Promise<void> {
  const names = skillPlaces(userId).custom;
  await insideDataHome(dataHome, { names, create: true }, async (folder) => {
    const there = await readdir(folder.self);
    if (there.includes(name)) throw exists(name);
    if (there.length >= maxSkills)
      throw invalid(`You already have ${maxSkills} skills, which is the limit. Delete one first.`);
    await switches.set(userId, skillPath({ category: 'custom', name }), true);
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
  return conflict(`You already have a skill '${name}'. Rename one of them.`);
}
