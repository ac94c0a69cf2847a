// Creates a custom skill from the text of a SKILL.md.
import { createBreath } from '../../breath.ts';
import { invalid } from '../../errors.ts';
import { replacePlainFile } from '../../workspace/plain-file.ts';
import { placeSkill, withStaging } from '../place-skill.ts';
import { isBlocking } from '../scan/finding.ts';
import { scanText } from '../scan/scan-text.ts';
import { parseSkillText, SKILL_FILE } from '../skill-text.ts';
import { type EditOutcome, note, recordAudit, type SkillAuthor, type SkillEditing } from './skill-editing.ts';
import { parseSkillFile } from './skill-file-path.ts';

export interface NewSkill {
  readonly content: string;
  /** The name that the front matter must have. Absent: any name. */
  readonly name?: string;
}

/** As `SkillEditor.create`. */
export async function createCustomSkill(
  parts: SkillEditing,
  author: SkillAuthor,
  { content, name: expected }: NewSkill,
): Promise<EditOutcome> {
  const { dataHome, diskUseOfUser, claims, newId } = parts;
  const { userId, isConfirmed } = author;
  const { name } = parseSkillText(content).head;
  if (expected !== undefined && expected !== name)
    throw invalid(`The front matter must have name: ${expected}.`);
  const file = parseSkillFile(SKILL_FILE);
  const findings = await scanText(file.text, content, createBreath());
  if (isBlocking(findings) && !isConfirmed) return { kind: 'blocked', findings };
  const diskUse = diskUseOfUser(userId);
  await withStaging(parts, async ({ folder, path }) => {
    const at = { folder, name: SKILL_FILE, shownAs: SKILL_FILE };
    await replacePlainFile(at, content, { dataHome, newId, diskUse });
    const noted = { name, file, action: 'create', previous: null, next: content, findings } as const;
    await claims.during(userId, name, () =>
      placeSkill(parts, { userId, name, from: path }, () => note(parts, author, noted)),
    );
  });
  await recordAudit(parts, author, { change: 'create', name, findings });
  return { kind: 'done', name, findings };
}
