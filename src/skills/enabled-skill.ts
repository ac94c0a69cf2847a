// What runs see of skills: a port.

export type SkillCategory = 'public' | 'custom';

/** A skill that is on for a user, as runs see it. */
export interface EnabledSkill {
  /** Also the name of its folder. */
  readonly name: string;
  readonly description: string;
  readonly category: SkillCategory;
  /** Absent: nothing is restricted. */
  readonly allowedTools: readonly string[] | undefined;
  /** The real folder on this machine; its virtual path is `/mnt/skills/<category>/<name>`. */
  readonly folder: string;
}

/**
 * Sorted by name; a custom skill hides a public one of the same name. From memory, and the same array, when nothing changed:
 * asked at every run.
 */
export type EnabledSkillsOf = (userId: string) => Promise<readonly EnabledSkill[]>;
