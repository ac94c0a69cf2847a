// Where skills lie on disk, and under which paths the agent knows them. Pure.
import { userFolderNames } from '../workspace/paths.ts';
import type { SkillCategory } from './enabled-skill.ts';

/** The components below the data home of what a person has of skills; throws `validation_failed` for a bad id. */
export function skillPlaces(userId: string) {
  const all = [...userFolderNames(userId), 'skills'];
  return {
    all,
    custom: [...all, 'custom'],
    /** Where a skill that was deleted waits to be taken back. */
    deleted: [...all, 'deleted'],
    history: [...all, 'history'],
  };
}

/** The components of the folder of what holds for everybody. */
export const SHARED_SKILLS = ['skills'] as const;

/** Which skills are off. */
export const STATE_FILE = 'state.json';

/** `Skill.path` on the wire (docs/contract/skills.md#listing). */
export function skillPath({
  category,
  name,
}: {
  readonly category: SkillCategory;
  readonly name: string;
}): string {
  return `${category}/${name}`;
}
