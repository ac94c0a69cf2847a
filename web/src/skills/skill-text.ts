// The SKILL.md of a new skill.

export interface NewSkill {
  readonly name: string;
  readonly description: string;
  /** Markdown. */
  readonly instructions: string;
}

/** A text in JSON's quotes is the same text in YAML. */
export function skillTextOf({ name, description, instructions }: NewSkill): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${instructions.trim()}\n`;
}
