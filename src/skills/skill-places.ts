// Where skills lie on disk, and the paths under which the agent knows them. Pure.
import { userFolderNames } from '../workspace/paths.ts';
import type { EnabledSkill } from './enabled-skill.ts';

/** Returns names from the data home to a person's skill folders. Throws `validation_failed` for a bad id. */
export function skillPlaces(userId: string) {
  const all = [...userFolderNames(userId), 'skills'];
  return {
    all,
    custom: [...all, 'custom'],
    /** Where deleted skills wait to be restored. */
    deleted: [...all, 'deleted'],
    history: [...all, 'history'],
  };
}

/** The path components of the folder whose settings apply to everyone. */
export const SHARED_SKILLS = ['skills'] as const;

/** The list of disabled skills. */
export const STATE_FILE = 'state.json';

/** `Skill.path` on the wire (docs/contract/skills.md#listing). */
export function skillPath({ category, name }: Pick<EnabledSkill, 'category' | 'name'>): string {
  return `${category}/${name}`;
}
