// Skills as files, for tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A SKILL.md; `head` are further lines of its front matter. */
export function skillText(
  name: string,
  { description = `How to ${name}.`, head = '', body = '' } = {},
): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${head}---\n\n${body || `# ${name}\n\nDo it.`}\n`;
}

/** Writes the files of a skill below `folder`, by their paths; a SKILL.md when none is given. */
export async function writeSkill(
  folder: string,
  name: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const [path, text] of Object.entries({ 'SKILL.md': skillText(name), ...files })) {
    const file = join(folder, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Where the custom skills of a person lie. */
export function customFolder(dataHome: string, userId: string): string {
  return join(dataHome, 'users', userId, 'skills', 'custom');
}
