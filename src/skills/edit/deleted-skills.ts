// Deleted skills, kept beside the others for a while so that a deletion can be undone.
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { conflict, notFound, ServiceError } from '../../errors.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { type PlacingParts, placeSkill } from '../place-skill.ts';
import { ifPresent } from '../read-text.ts';
import type { SkillClaims } from '../skill-claims.ts';
import { skillPlaces } from '../skill-places.ts';
import { fileOf } from './skill-history.ts';

export interface DeletedSkill {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

export type DeletedSkills = ReturnType<typeof createDeletedSkills>;

/** Deleted skills of one person. The oldest ones beyond this are removed with their history. */
const KEPT = 20;

/** Callers change deleted skills under a claim of the skill. */
export function createDeletedSkills(parts: PlacingParts & { readonly claims: SkillClaims }) {
  const { dataHome, claims } = parts;
  const purge = (userId: string, name: string) => purgeDeleted(dataHome, userId, name);
  return {
    /** Latest deletion first. */
    list: (userId: string): Promise<readonly DeletedSkill[]> => listDeleted(dataHome, userId),
    /** Moves the skill to the deleted ones, in place of an earlier deleted skill of the same name. */
    async take(userId: string, name: string): Promise<void> {
      const { custom, deleted } = skillPlaces(userId);
      await insideDataHome(dataHome, { names: deleted, create: true }, async (bin) => {
        await rm(bin.at(name), { recursive: true, force: true });
        await insideDataHome(dataHome, { names: custom, create: false }, (shelf) =>
          rename(shelf.at(name), bin.at(name)),
        );
      });
      const kept = await listDeleted(dataHome, userId);
      for (const { name: old } of kept.slice(KEPT))
        await claims.during(userId, old, () => purge(userId, old)).catch(leaveToOthers);
    },
    /** Restores the skill, enabled, after `whenFree`. Throws `conflict` when it is gone or its name is taken. */
    async giveBack(userId: string, name: string, whenFree: () => Promise<void>): Promise<void> {
      const { deleted } = skillPlaces(userId);
      try {
        await insideDataHome(dataHome, { names: deleted, create: false }, async (bin) => {
          await stat(bin.at(name));
          await placeSkill(parts, { userId, name, from: bin.at(name) }, whenFree);
        });
      } catch (error) {
        if (isFileSystemError(error, 'ENOENT')) throw conflict('The deleted skill is no longer kept.');
        throw error;
      }
    },
    /** Removes it permanently, and its history unless another skill has its name. Throws `not_found`. */
    purge,
  };
}

/** The change time is the time of the deletion, because a move updates it. */
async function listDeleted(dataHome: string, userId: string): Promise<readonly DeletedSkill[]> {
  const names = skillPlaces(userId).deleted;
  const found: DeletedSkill[] = [];
  const listing = insideDataHome(dataHome, { names, create: false }, async (bin) => {
    for (const name of await readdir(bin.self)) {
      // Another request may have restored or removed it in between.
      const stats = await ifPresent(stat(bin.at(name)));
      if (stats !== undefined) found.push({ name, deletedAt: Math.floor(stats.ctimeMs) });
    }
  });
  await ifPresent(listing);
  return found.toSorted((a, b) => b.deletedAt - a.deletedAt || (a.name < b.name ? -1 : 1));
}

async function purgeDeleted(dataHome: string, userId: string, name: string): Promise<void> {
  const { custom, deleted, history } = skillPlaces(userId);
  const isThere = (names: readonly string[]) =>
    ifPresent(insideDataHome(dataHome, { names, create: false }, (folder) => stat(folder.at(name))));
  if ((await isThere(deleted)) === undefined) throw notFound(`Deleted skill '${name}'`);
  // The history goes first. If only that succeeds, the folder can still be purged; the reverse does not hold.
  if ((await isThere(custom)) === undefined)
    await insideDataHome(dataHome, { names: history, create: true }, (folder) =>
      rm(folder.at(fileOf(name)), { force: true }),
    );
  await insideDataHome(dataHome, { names: deleted, create: true }, (bin) =>
    rm(bin.at(name), { recursive: true, force: true }),
  );
}

/** Another process is changing that skill. The next deletion tries again. */
function leaveToOthers(error: unknown): void {
  const isTaken = error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found');
  if (!isTaken) throw error;
}
