// The skills of one folder, cached in memory until something changes there.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Folder, insideDataHome, insideFolder } from '../workspace/folder.ts';
import { isAbsence } from '../workspace/workspace-failure.ts';
import type { SkillCategory } from './enabled-skill.ts';
import { type FileStamp, fileStamp, isSameFile } from './file-stamp.ts';
import { ifPresent, readText } from './read-text.ts';
import { isSkillName, MAX_TEXT_BYTES, parseSkillText, SKILL_FILE, type SkillHead } from './skill-text.ts';

/** A skill with its place on disk. */
export interface ShelvedSkill extends SkillHead {
  readonly category: SkillCategory;
  /** The real path, for other programs. Files are opened through `place`, which follows no link. */
  readonly folder: string;
  readonly place: SkillPlace;
}

/** Links are followed only in the root. */
interface SkillPlace {
  readonly root: string;
  readonly names: readonly string[];
}

/**
 * Returns the skills sorted by name; the same array while nothing changed. Omits invalid skills and logs
 * them. Throws what cannot be read now.
 */
export type SkillShelf = () => Promise<readonly ShelvedSkill[]>;

interface SkillShelfParts extends SkillPlace {
  readonly category: SkillCategory;
  readonly log: Pick<Log, 'warn'>;
}

interface Contents {
  /** The stamps of the folder and of each SKILL.md, by path. */
  readonly stamps: ReadonlyMap<string, FileStamp>;
  readonly skills: readonly ShelvedSkill[];
}

export function createSkillShelf(parts: SkillShelfParts): SkillShelf {
  let contents: Contents | undefined;
  let reading: Promise<void> | undefined;
  return async () => {
    while (contents === undefined || !isCurrent(contents)) {
      reading ??= readContents(parts)
        .then((read) => {
          contents = read;
        })
        .finally(() => {
          reading = undefined;
        });
      await reading;
    }
    return contents.skills;
  };
}

function isCurrent({ stamps }: Contents): boolean {
  for (const [path, stamp] of stamps) if (!isSameFile(fileStamp(path), stamp)) return false;
  return true;
}

/** Takes each stamp before it reads the file or folder, so that a change in between is noticed and read. */
async function readContents(parts: SkillShelfParts): Promise<Contents> {
  const { root, names } = parts;
  const path = join(root, ...names);
  const stamps = new Map([[path, fileStamp(path)]]);
  const skills: ShelvedSkill[] = [];
  if (stamps.get(path) === undefined) return { stamps, skills };
  const reading = insideDataHome(root, { names, create: false }, async (folder) => {
    for (const entry of await readdir(folder.self, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || !entry.isDirectory()) continue;
      const text = join(path, entry.name, SKILL_FILE);
      stamps.set(text, fileStamp(text));
      const skill = await readSkill(parts, folder, entry.name);
      if (skill !== undefined) skills.push(skill);
    }
  });
  // The folder may have disappeared in between, or be a link.
  await ifPresent(reading);
  return { stamps, skills: skills.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function readSkill(
  { category, root, names, log }: SkillShelfParts,
  shelf: Folder,
  name: string,
): Promise<ShelvedSkill | undefined> {
  try {
    const text = await insideFolder(shelf, { names: [name], create: false }, (folder) =>
      readText({ folder, name: SKILL_FILE, maxBytes: MAX_TEXT_BYTES }),
    );
    const { head } = parseSkillText(text);
    if (head.name !== name)
      throw invalid(`Its name is "${head.name}"; it must match the name of its folder.`);
    const place = { root, names: [...names, name] };
    return { ...head, category, folder: join(root, ...place.names), place };
  } catch (error) {
    const why = reasonOf(error);
    if (why === undefined) throw error;
    log.warn({ category, skill: isSkillName(name) ? name : undefined, why }, 'a skill is left out');
    return undefined;
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof ServiceError) return error.detail;
  if (isAbsence(error)) return `${SKILL_FILE} cannot be read (${error.code}).`;
  return undefined;
}
