// The folders of a user's enabled skills, as runs see them.
import type { ReadOnlyFolders } from '../workspace/read-only/read-only-folders.ts';
import type { EnabledSkill, EnabledSkillsOf } from './enabled-skill.ts';

export const SKILLS_ROOT = '/mnt/skills';

export function virtualSkillFolder({ category, name }: Pick<EnabledSkill, 'category' | 'name'>): string {
  return `${SKILLS_ROOT}/${category}/${name}`;
}

/** Without a user there are no skills. */
export function createSkillFolders(skillsOf: EnabledSkillsOf): ReadOnlyFolders {
  return {
    root: SKILLS_ROOT,
    async of(userId) {
      const skills = userId === null ? [] : await skillsOf(userId);
      return skills.map((skill) => ({ virtual: virtualSkillFolder(skill), real: skill.folder }));
    },
    missing: (path) =>
      `No skill is enabled at ${path}: there is none, or it is switched off. ls on ${SKILLS_ROOT} shows those that are enabled.`,
  };
}
