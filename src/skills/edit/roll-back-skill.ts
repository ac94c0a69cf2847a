// Undoes a change of a custom skill. The undoing is itself a change.
import { conflict, invalid } from '../../errors.ts';
import { noSuchSkill } from '../skill-catalog.ts';
import { isSkillName, SKILL_FILE } from '../skill-text.ts';
import { removeSkillFile, writeSkillText } from './change-skill-file.ts';
import { ownSkill } from './own-skill.ts';
import { type EditOutcome, note, recordAudit, type SkillAuthor, type SkillEditing } from './skill-editing.ts';
import { parseSkillFile } from './skill-file-path.ts';
import type { SkillChange } from './skill-history.ts';

/** A negative `index` counts from the last change. Throws `not_found`, `forbidden` and `invalid`. */
export async function changeToRollBack(
  { catalog, history }: SkillEditing,
  author: SkillAuthor,
  { name, index }: { readonly name: string; readonly index: number },
): Promise<SkillChange> {
  if (!isSkillName(name)) throw noSuchSkill(name);
  const changes = await history.list(author.userId, name);
  if (changes.length === 0) await ownSkill(catalog, author, name);
  const change = index < 0 ? changes.at(index) : changes.find((one) => one.index === index);
  if (change === undefined) throw invalid('The history has no such change.');
  return change;
}

/** As `SkillEditor.rollback`. */
export async function rollBackSkill(
  parts: SkillEditing,
  author: SkillAuthor,
  { name, change }: { readonly name: string; readonly change: SkillChange },
): Promise<EditOutcome> {
  const { catalog, history } = parts;
  const { action, previous, next } = change;
  const file = parseSkillFile(change.filePath);
  if (action === 'delete') {
    const changes = await history.list(author.userId, name);
    if (changes.findLast((one) => one.action === 'delete')?.index !== change.index)
      throw conflict('Only the last deletion can be undone; earlier ones are no longer kept.');
    await restoreSkill(parts, author, name);
    return { kind: 'done', name, findings: [] };
  }
  const skill = await ownSkill(catalog, author, name);
  if (previous !== null)
    return writeSkillText(parts, author, { skill, file, content: previous, action: 'rollback' });
  if (action === 'create' || file.text === SKILL_FILE)
    throw conflict('Before this change there was no skill; delete the skill instead.');
  if (next === null) throw conflict('This change removed a file that is not text, which is not kept.');
  await removeSkillFile(parts, author, { skill, file, action: 'rollback' });
  return { kind: 'done', name, findings: [] };
}

/** Restores a deleted skill with all its files. Throws `conflict` when it is gone or its name is taken. */
export async function restoreSkill(parts: SkillEditing, author: SkillAuthor, name: string): Promise<void> {
  const { history, deleted } = parts;
  const { userId } = author;
  const changes = await history.list(userId, name);
  const next = changes.findLast(({ action }) => action === 'delete')?.previous ?? null;
  const file = parseSkillFile(SKILL_FILE);
  const noted = { name, file, action: 'rollback', previous: null, next, findings: [] } as const;
  await deleted.giveBack(userId, name, () => note(parts, author, noted));
  await recordAudit(parts, author, { change: 'restore', name, findings: [] });
}
