// Skills that were deleted: kept beside the others for a while, so that a deletion can be taken back.
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { conflict } from '../../errors.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { placeSkill } from '../place-skill.ts';
import { skillPlaces } from '../skill-places.ts';
import { fileOf } from './skill-history.ts';

export interface DeletedSkills {
  /** Moves the skill away; the one of the same name that was deleted before is gone then. */
  take(userId: string, name: string): Promise<void>;
  /** Puts it back, `whenFree` first. Throws `conflict` when it is gone, or there is another one of its name by now. */
  giveBack(userId: string, name: string, whenFree: () => Promise<void>): Promise<void>;
}

interface DeletedSkillsParts {
  readonly dataHome: string;
  readonly maxSkills: number;
}

/** The oldest one goes, with its history. */
const KEPT = 20;

export function createDeletedSkills({ dataHome, maxSkills }: DeletedSkillsParts): DeletedSkills {
  return {
    take(userId, name) {
      const { custom, deleted } = skillPlaces(userId);
      return insideDataHome(dataHome, { names: deleted, create: true }, async (bin) => {
        await rm(bin.at(name), { recursive: true, force: true });
        await insideDataHome(dataHome, { names: custom, create: false }, (shelf) =>
          rename(shelf.at(name), bin.at(name)),
        );
        const old = await oldestOf(await readdir(bin.self), (one) => bin.at(one));
        for (const one of old) await forget(dataHome, userId, one);
      });
    },
    async giveBack(userId, name, whenFree) {
      const { custom, deleted } = skillPlaces(userId);
      try {
        await insideDataHome(dataHome, { names: deleted, create: false }, async (bin) => {
          await stat(bin.at(name));
          await placeSkill({ dataHome, names: custom, name, from: bin.at(name), maxSkills, whenFree });
        });
      } catch (error) {
        if (isFileSystemError(error, 'ENOENT'))
          throw conflict('The skill that was deleted is not kept any more.');
        throw error;
      }
    },
  };
}

/** A move changes the change time. */
async function oldestOf(names: readonly string[], at: (name: string) => string): Promise<readonly string[]> {
  if (names.length <= KEPT) return [];
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(at(name))).ctimeMs })));
  return dated
    .toSorted((a, b) => b.at - a.at)
    .slice(KEPT)
    .map(({ name }) => name);
}

async function forget(dataHome: string, userId: string, name: string): Promise<void> {
  const { custom, deleted, history } = skillPlaces(userId);
  await insideDataHome(dataHome, { names: deleted, create: true }, (bin) =>
    rm(bin.at(name), { recursive: true, force: true }),
  );
  const names = await insideDataHome(dataHome, { names: custom, create: true }, (shelf) =>
    readdir(shelf.self),
  );
  if (names.includes(name)) return;
  await insideDataHome(dataHome, { names: history, create: true }, (folder) =>
    rm(folder.at(fileOf(name)), { force: true }),
  );
}
