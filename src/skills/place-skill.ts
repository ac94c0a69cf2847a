// Puts a folder that was made elsewhere into its place among a person's skills.
import { readdir, rename } from 'node:fs/promises';
import { conflict, invalid, type ServiceError } from '../errors.ts';
import { insideDataHome } from '../workspace/folder.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';

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
