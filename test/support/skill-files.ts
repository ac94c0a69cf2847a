// Skills as files, for tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Returns a SKILL.md; `head` has further lines of its front matter. */
export function skillText(
  name: string,
  { description = `How to ${name}.`, head = '', body = '' } = {},
): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${head}---\n\n${body || `# ${name}\n\nDo it.`}\n`;
}

/** Writes the files of a skill below `folder`, by their paths; without files, only a SKILL.md. */
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

/** Returns the folder of a person's custom skills. */
export function customFolder(dataHome: string, userId: string): string {
  return join(dataHome, 'users', userId, 'skills', 'custom');
}
