// Writes and removes one file of a custom skill. The history keeps the text that was there before.
import { lstat, unlink } from 'node:fs/promises';
import { createBreath } from '../../breath.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { replacePlainFile } from '../../workspace/plain-file.ts';
import { isAbsence } from '../../workspace/workspace-failure.ts';
import { fileVersion } from '../file-stamp.ts';
import { isBlocking } from '../scan/finding.ts';
import { scanText } from '../scan/scan-text.ts';
import type { Skill } from '../skill-catalog.ts';
import { MAX_TEXT_BYTES, parseSkillText, SKILL_FILE, tooLarge } from '../skill-text.ts';
import { keptText, readOwn } from './own-skill.ts';
import { type EditOutcome, note, recordAudit, type SkillAuthor, type SkillEditing } from './skill-editing.ts';
import type { SkillFilePath } from './skill-file-path.ts';
import type { SkillAction } from './skill-history.ts';

interface FileRemoval {
  readonly skill: Skill;
  readonly file: SkillFilePath;
  readonly action: SkillAction;
}

interface TextChange extends FileRemoval {
  readonly content: string;
}

/**
 * Throws `conflict` instead of overwriting a file that is not text, because the history could not restore it.
 */
export async function writeSkillText(
  parts: SkillEditing,
  author: SkillAuthor,
  { skill, file, content, action }: TextChange,
): Promise<EditOutcome> {
  const { diskUseOfUser, newId, dataHome } = parts;
  const { name, place } = skill;
  checkText(skill, file, content);
  const findings = await scanText(file.text, content, createBreath());
  if (isBlocking(findings) && !author.isConfirmed) return { kind: 'blocked', findings };
  const before = await readOwn(skill, file);
  if (before.kind === 'other')
    throw conflict(`${file.text} is no text, or too large to be kept in the history; remove it first.`);
  if (before.kind === 'below_file')
    throw conflict(`${file.text} would be inside a file. Choose another path, or remove that file first.`);
  const diskUse = diskUseOfUser(author.userId);
  await diskUse.admit({ bytes: 2 * Buffer.byteLength(content), entries: file.names.length });
  await note(parts, author, { name, file, action, previous: keptText(before), next: content, findings });
  const folders = [...place.names, ...file.names.slice(0, -1)];
  const written = file.names.at(-1) ?? '';
  const version = await insideDataHome(place.root, { names: folders, create: true }, async (folder) => {
    const at = { folder, name: written, shownAs: file.text };
    await replacePlainFile(at, content, { dataHome, newId, diskUse });
    return fileVersion(await lstat(folder.at(written)));
  });
  if (isBlocking(findings)) await recordAudit(parts, author, { change: action, name, findings });
  return { kind: 'done', name, findings, version };
}

function checkText({ name }: Skill, file: SkillFilePath, content: string): void {
  if (Buffer.byteLength(content) > MAX_TEXT_BYTES)
    throw tooLarge(`${file.text} would be larger than ${MAX_TEXT_BYTES / 1_024} KiB.`);
  if (content.includes('\0') || !content.isWellFormed()) throw invalid(`${file.text} would not be a text.`);
  if (file.text !== SKILL_FILE) return;
  const { head } = parseSkillText(content);
  if (head.name !== name)
    throw invalid(`The name must stay '${name}'. To rename a skill, create a new one and delete this one.`);
}

/** Throws `not_found`. */
export async function removeSkillFile(
  parts: SkillEditing,
  author: SkillAuthor,
  { skill, file, action }: FileRemoval,
): Promise<void> {
  const { name, place } = skill;
  const at = { names: [...place.names, ...file.names.slice(0, -1)], create: false };
  const inFolder = <Result>(use: (path: string) => Promise<Result>): Promise<Result> =>
    insideDataHome(place.root, at, (folder) => use(folder.at(file.names.at(-1) ?? ''))).catch((error) => {
      if (isAbsence(error)) throw notFound(`File '${file.text}'`);
      throw error;
    });
  if ((await inFolder((path) => lstat(path))).isDirectory()) throw notFound(`File '${file.text}'`);
  const previous = keptText(await readOwn(skill, file));
  await note(parts, author, { name, file, action, previous, next: null, findings: [] });
  await inFolder((path) => unlink(path));
}
