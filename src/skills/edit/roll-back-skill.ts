// Takes back a change of a custom skill, which is itself a change.
import { conflict, invalid } from '../../errors.ts';
import { noSuchSkill } from '../skill-catalog.ts';
import { isSkillName, SKILL_FILE } from '../skill-text.ts';
import { removeSkillFile, writeSkillText } from './change-skill-file.ts';
import { ownSkill } from './own-skill.ts';
import type { EditOutcome, SkillAuthor } from './skill-author.ts';
import { note, type SkillEditing } from './skill-editing.ts';
import { parseSkillFile } from './skill-file-path.ts';

interface Rollback {
  readonly name: string;
  readonly index: number;
}

/** As `SkillEditor.rollback`. */
export async function rollBackSkill(
  parts: SkillEditing,
  author: SkillAuthor,
  { name, index }: Rollback,
): Promise<EditOutcome> {
  const { catalog, history, deleted } = parts;
  if (!isSkillName(name)) throw noSuchSkill(name);
  const changes = await history.list(author.userId, name);
  if (changes.length === 0) await ownSkill(catalog, author, name);
  const change = index < 0 ? changes.at(index) : changes.find((one) => one.index === index);
  if (change === undefined) throw invalid('The history has no such change.');
  const { action, previous, next } = change;
  const file = parseSkillFile(change.filePath);
  if (action === 'delete') {
    if (changes.findLast((one) => one.action === 'delete') !== change)
      throw conflict(
        'Only the last deletion can be taken back; what was deleted before is not kept any more.',
      );
    await deleted.giveBack(author.userId, name, () =>
      note(parts, author, { name, file, action: 'rollback', previous: null, next: previous, findings: [] }),
    );
    return { kind: 'done', name, findings: [] };
  }
  const skill = await ownSkill(catalog, author, name);
  if (previous !== null)
    return writeSkillText(parts, author, { skill, file, content: previous, action: 'rollback' });
  if (action === 'create' || file.text === SKILL_FILE)
    throw conflict('Before this change there was no skill; delete the skill instead.');
  if (next === null) throw conflict('What this change removed was no text and is not kept.');
  await removeSkillFile(parts, author, { skill, file, action: 'rollback' });
  return { kind: 'done', name, findings: [] };
}
