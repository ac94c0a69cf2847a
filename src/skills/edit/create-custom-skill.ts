// Creates a custom skill from the text of a SKILL.md.
import { createBreath } from '../../breath.ts';
import { invalid } from '../../errors.ts';
import { replacePlainFile } from '../../workspace/plain-file.ts';
import { placeSkill, withStaging } from '../place-skill.ts';
import { isBlocking } from '../scan/finding.ts';
import { scanText } from '../scan/scan-text.ts';
import { skillPath, skillPlaces } from '../skill-places.ts';
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
  const { dataHome, diskUseOfUser, claims, switches, maxSkills, newId } = parts;
  const { name } = parseSkillText(content).head;
  if (expected !== undefined && expected !== name)
    throw invalid(`The front matter must have name: ${expected}.`);
  const file = parseSkillFile(SKILL_FILE);
  const findings = await scanText(file.text, content, createBreath());
  if (isBlocking(findings) && !author.isConfirmed) return { kind: 'blocked', findings };
  const diskUse = diskUseOfUser(author.userId);
  await withStaging(parts, async ({ folder, path }) => {
    const at = { folder, name: SKILL_FILE, shownAs: SKILL_FILE };
    await replacePlainFile(at, content, { dataHome, newId, diskUse });
    await claims.during(author.userId, name, () =>
      placeSkill({
        dataHome,
        names: skillPlaces(author.userId).custom,
        name,
        from: path,
        maxSkills,
        async whenFree() {
          await switches.set(author.userId, skillPath({ category: 'custom', name }), true);
          await note(parts, author, {
            name,
            file,
            action: 'create',
            previous: null,
            next: content,
            findings,
          });
        },
      }),
    );
  });
  await recordAudit(parts, author, { change: 'create', name, findings });
  return { kind: 'done', name, findings };
}
