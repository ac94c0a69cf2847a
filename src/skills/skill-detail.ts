// Everything about one skill: its instructions and its files.
import { lstat, opendir } from 'node:fs/promises';
import { type Folder, insideDataHome, insideFolder } from '../workspace/folder.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';
import { readText } from './read-text.ts';
import { noSuchSkill, type Skill, type SkillCatalog } from './skill-catalog.ts';
import { MAX_TEXT_BYTES, parseSkillText, SKILL_FILE } from './skill-text.ts';

interface SkillFile {
  /** Below the folder of the skill, with slashes. */
  readonly path: string;
  readonly size: number;
}

export interface SkillDetail {
  readonly skill: Skill;
  readonly body: string;
  /** Sorted by path. */
  readonly files: readonly SkillFile[];
}

/** Throws `not_found`. */
export type SkillDetailOf = (userId: string, name: string) => Promise<SkillDetail>;

const MAX_FILES = 2_000;
const MAX_LEVELS = 16;

export function createSkillDetails({ catalog }: { readonly catalog: SkillCatalog }): SkillDetailOf {
  return async (userId, name) => {
    const skill = await catalog.get(userId, name);
    try {
      const { root, names } = skill.place;
      return await insideDataHome(root, { names, create: false }, async (folder) => {
        const text = await readText({ folder, name: SKILL_FILE, maxBytes: MAX_TEXT_BYTES });
        const { body } = parseSkillText(text);
        return { skill, body, files: (await filesIn(folder, [])).toSorted(byPath) };
      });
    } catch (error) {
      // It was deleted a moment ago.
      if (isFileSystemError(error)) throw noSuchSkill(name);
      throw error;
    }
  };
}

/** Plain files; names that begin with a dot are not part of a skill, links are not followed. */
async function filesIn(folder: Folder, above: readonly string[]): Promise<SkillFile[]> {
  const files: SkillFile[] = [];
  for await (const entry of await opendir(folder.self)) {
    if (entry.name.startsWith('.') || files.length >= MAX_FILES) continue;
    const names = [...above, entry.name];
    if (entry.isFile())
      files.push({ path: names.join('/'), size: (await lstat(folder.at(entry.name))).size });
    if (entry.isDirectory() && names.length < MAX_LEVELS) {
      const at = { names: [entry.name], create: false };
      files.push(...(await insideFolder(folder, at, (inside) => filesIn(inside, names))));
    }
  }
  return files;
}

function byPath(a: SkillFile, b: SkillFile): number {
  return a.path < b.path ? -1 : 1;
}
