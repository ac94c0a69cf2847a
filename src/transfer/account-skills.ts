// Custom skills of an account, as packages have them: a port.

export interface AccountSkillFile {
  readonly skill: string;
  /** Below the folder of the skill. */
  readonly names: readonly string[];
  read(): AsyncIterable<Uint8Array>;
}

export interface AccountSkills {
  /** Of every custom skill, skill by skill. */
  files(userId: string): AsyncGenerator<AccountSkillFile>;
  /** Skills that are switched off, such as `public/report` and `custom/tea`. */
  off(userId: string): Promise<readonly string[]>;
  /** `undefined` when the skill is there now, all of it; else a sentence that says why none of it is. */
  bringIn(userId: string, name: string, files: readonly AccountSkillFile[]): Promise<string | undefined>;
  /** Does nothing for a public skill that this service does not have. */
  switchOff(userId: string, path: string): Promise<void>;
}
