// Writes skills into a folder for tests.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestService } from '../support/service.ts';

interface WrittenSkill {
  readonly description?: string;
  readonly allowedTools?: readonly string[];
  readonly body?: string;
  /** Further files, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

export type WrittenSkills = Readonly<Record<string, WrittenSkill>>;

/** Writes each skill into a folder of its name, overwriting existing files. */
export async function writeSkills(folder: string, skills: WrittenSkills): Promise<void> {
  for (const [name, skill] of Object.entries(skills)) {
    const files = { 'SKILL.md': skillText(name, skill), ...skill.files };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true });
      await writeFile(join(folder, name, path), text);
    }
  }
}

/** Creates a folder of public skills, which the caller removes. */
export async function publicSkills(skills: WrittenSkills) {
  const folder = await mkdtemp(join(tmpdir(), 'public-skills-'));
  await writeSkills(folder, skills);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Returns the folder of a person's custom skills. */
export function customFolder({ dataHome }: Pick<TestService, 'dataHome'>, userId: string): string {
  return join(dataHome, 'users', userId, 'skills', 'custom');
}

function skillText(name: string, { description, allowedTools, body }: WrittenSkill = {}): string {
  const head = [
    `name: ${name}`,
    `description: ${JSON.stringify(description ?? `What ${name} is for.`)}`,
    ...(allowedTools === undefined ? [] : [`allowed-tools: ${JSON.stringify(allowedTools)}`]),
  ];
  return `---\n${head.join('\n')}\n---\n\n${body ?? `Instructions of ${name}.`}\n`;
}
