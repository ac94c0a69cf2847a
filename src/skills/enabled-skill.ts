// How runs see skills: a port.

export type SkillCategory = 'public' | 'custom';

/** A skill that is enabled for a user, as runs see it. */
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
 * Sorted by name; a custom skill hides a public one of the same name. Every run calls it, so while nothing
 * has changed it returns the same array from memory.
 */
export type EnabledSkillsOf = (userId: string) => Promise<readonly EnabledSkill[]>;
