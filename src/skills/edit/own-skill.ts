// A person's own skills and the contents of their files.
import { lstat } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import { type Folder, insideDataHome } from '../../workspace/folder.ts';
import { isAbsence, isFileSystemError } from '../../workspace/workspace-failure.ts';
import { fileVersion } from '../file-stamp.ts';
import { ifPresent, readText } from '../read-text.ts';
import { noSuchSkill, type Skill, type SkillCatalog } from '../skill-catalog.ts';
import { skillPlaces } from '../skill-places.ts';
import { isSkillName, MAX_TEXT_BYTES } from '../skill-text.ts';
import type { SkillAuthor, SkillEditing } from './skill-editing.ts';
import type { SkillFilePath } from './skill-file-path.ts';

/** Throws `not_found`, and `forbidden` for a public skill. */
export async function ownSkill(catalog: SkillCatalog, { userId }: SkillAuthor, name: string): Promise<Skill> {
  const skill = await catalog.get(userId, name);
  if (skill.category === 'custom') return skill;
  throw new ServiceError(
    'forbidden',
    `'${name}' is a public skill and cannot be changed. Create a custom one with the same name, which replaces it for you.`,
  );
}

/**
 * Returns the place of the skill, even if an invalid SKILL.md keeps it out of the list. Throws as `ownSkill`.
 */
export async function ownPlace(
  { dataHome, catalog }: Pick<SkillEditing, 'dataHome' | 'catalog'>,
  author: SkillAuthor,
  name: string,
): Promise<Skill['place']> {
  if (!isSkillName(name)) throw noSuchSkill(name);
  const { custom } = skillPlaces(author.userId);
  if (await isFolder(dataHome, custom, name)) return { root: dataHome, names: [...custom, name] };
  return (await ownSkill(catalog, author, name)).place;
}

async function isFolder(root: string, names: readonly string[], name: string): Promise<boolean> {
  const stats = insideDataHome(root, { names, create: false }, (folder) => lstat(folder.at(name)));
  return (await ifPresent(stats))?.isDirectory() === true;
}

/**
 * `other`: the file exists but is not text, or is too large for the history. `below_file`: a parent of the
 * path is not a folder.
 */
type OwnFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'below_file' }
  | { readonly kind: 'absent' };

export async function readOwn({ place }: Pick<Skill, 'place'>, file: SkillFilePath): Promise<OwnFile> {
  const at = { names: [...place.names, ...file.names.slice(0, -1)], create: false };
  try {
    const text = await insideDataHome(place.root, at, (folder) =>
      readText({ folder, name: file.names.at(-1) ?? '', maxBytes: MAX_TEXT_BYTES }),
    );
    return { kind: 'text', text };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'other' };
    if (isFileSystemError(error, 'ENOTDIR')) return { kind: 'below_file' };
    if (isAbsence(error)) return { kind: 'absent' };
    throw error;
  }
}

/** Returns the version of one file of the skill; `undefined` when the file does not exist. */
export async function ownVersion(
  { place }: Pick<Skill, 'place'>,
  file: SkillFilePath,
): Promise<string | undefined> {
  const at = { names: [...place.names, ...file.names.slice(0, -1)], create: false };
  const path = (folder: Folder) => folder.at(file.names.at(-1) ?? '');
  const stats = await ifPresent(insideDataHome(place.root, at, (folder) => lstat(path(folder))));
  return stats && fileVersion(stats);
}

/** Returns the text for the history; `null` for anything that is not text. */
export function keptText(file: OwnFile): string | null {
  return file.kind === 'text' ? file.text : null;
}
