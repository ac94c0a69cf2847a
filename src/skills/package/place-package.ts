// Moves a package that was unpacked and scanned to the skills of a person.
import type { DiskUseOfUser } from '../../workspace/quota/disk-use.ts';
import type { Space } from '../../workspace/quota/space.ts';
import type { SerialQueue } from '../../workspace/serial-queue.ts';
import { placeSkill } from '../place-skill.ts';
import type { SkillClaims } from '../skill-claims.ts';
import { skillPath, skillPlaces } from '../skill-places.ts';
import type { SkillSwitches } from '../skill-switches.ts';

export interface PlacePackageParts {
  readonly dataHome: string;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly queue: SerialQueue;
  readonly claims: SkillClaims;
  readonly switches: SkillSwitches;
  readonly maxSkills: number;
}

interface Unplaced {
  readonly userId: string;
  readonly name: string;
  /** The path of the folder. */
  readonly from: string;
  readonly files: readonly { readonly size: number }[];
}

/**
 * Also enables the skill. Throws `conflict` when a skill of its name exists, `invalid` when there are too
 * many, and `user_not_found` when the account was deleted in between.
 */
export function placePackage(
  parts: PlacePackageParts,
  { userId, name, from, files }: Unplaced,
): Promise<void> {
  const { dataHome, diskUseOfUser, queue, claims, switches, maxSkills } = parts;
  const diskUse = diskUseOfUser(userId);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  // Counts the folder and the provenance file too.
  const space: Space = { bytes, entries: files.length + 2 };
  return queue.run(userId, () =>
    claims.during(userId, name, async () => {
      await diskUse.admit(space);
      await placeSkill({
        dataHome,
        names: skillPlaces(userId).custom,
        name,
        from,
        maxSkills,
        async whenFree() {
          await switches.set(userId, skillPath({ category: 'custom', name }), true);
          await claims.confirm(userId, name);
        },
      });
      diskUse.added(space);
    }),
  );
}
