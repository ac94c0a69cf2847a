// Moves a package that was unpacked and scanned to the skills of a person.
import type { Space } from '../../workspace/quota/space.ts';
import type { SkillEditing } from '../edit/skill-editing.ts';
import { placeSkill, type Unplaced } from '../place-skill.ts';

interface UnplacedPackage extends Unplaced {
  readonly files: readonly { readonly size: number }[];
}

/**
 * Also enables the skill. Throws `conflict` when a skill of its name exists, `invalid` when there are too
 * many, and `user_not_found` when the account was deleted in between.
 */
export function placePackage(parts: SkillEditing, { userId, name, from, files }: UnplacedPackage) {
  const { diskUseOfUser, queue, claims } = parts;
  const diskUse = diskUseOfUser(userId);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  // Counts the folder and the provenance file too.
  const space: Space = { bytes, entries: files.length + 2 };
  return queue.run(userId, () =>
    claims.during(userId, name, async () => {
      await diskUse.admit(space);
      await placeSkill(parts, { userId, name, from }, () => claims.confirm(userId, name));
      diskUse.added(space);
    }),
  );
}
