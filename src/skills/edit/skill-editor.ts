// Changes custom skills: every text is checked and scanned, and what it replaces is kept in the history.
import { invalid, notFound } from '../../errors.ts';
import type { SerialQueue } from '../../workspace/serial-queue.ts';
import { noSuchSkill } from '../skill-catalog.ts';
import { skillPath } from '../skill-places.ts';
import { isSkillName, SKILL_FILE } from '../skill-text.ts';
import { removeSkillFile, writeSkillText } from './change-skill-file.ts';
import { createCustomSkill, type NewSkill } from './create-custom-skill.ts';
import { keptText, ownPlace, ownSkill, readOwn } from './own-skill.ts';
import { patchedText, type SkillPatch } from './patched-text.ts';
import { rollBackSkill } from './roll-back-skill.ts';
import type { EditOutcome, SkillAuthor } from './skill-author.ts';
import { note, type SkillEditing, tellAudit } from './skill-editing.ts';
import { parseSkillFile } from './skill-file-path.ts';
import type { SkillChange } from './skill-history.ts';

type PatchOutcome = EditOutcome & { readonly replaced: number; readonly found: number };

/**
 * All throw `not_found` for a skill that is not there, `forbidden` for a public one, `invalid` for a text or a path that
 * is not right, `payload_too_large` and `insufficient_storage`. A change that fails leaves the skill as it was.
 */
export interface SkillEditor {
  /** Throws `conflict` when there is a skill of this name. */
  create(author: SkillAuthor, skill: NewSkill): Promise<EditOutcome>;
  /** `path`: SKILL.md, or a file below one of the folders that a skill may have. Throws `conflict` when there is one that is no text. */
  write(
    author: SkillAuthor,
    name: string,
    file: { readonly path: string; readonly content: string },
  ): Promise<EditOutcome>;
  /** Throws `invalid` when the text is not there, or not so many times. */
  patch(author: SkillAuthor, name: string, patch: SkillPatch): Promise<PatchOutcome>;
  removeFile(author: SkillAuthor, name: string, path: string): Promise<void>;
  /** Also one whose SKILL.md is not valid, and which is not listed. */
  remove(author: SkillAuthor, name: string): Promise<void>;
  /** Oldest first. */
  history(userId: string, name: string): Promise<readonly SkillChange[]>;
  /** Puts back what the change replaced; below 0: counted from the last one. Throws `conflict` when it cannot. */
  rollback(author: SkillAuthor, name: string, index: number): Promise<EditOutcome>;
}

interface SkillEditorParts extends SkillEditing {
  readonly queue: SerialQueue;
}

export function createSkillEditor(parts: SkillEditorParts): SkillEditor {
  const { catalog, history, queue } = parts;
  const serially = <Result>({ userId }: SkillAuthor, work: () => Promise<Result>) => queue.run(userId, work);
  return {
    create: (author, skill) => serially(author, () => createCustomSkill(parts, author, skill)),
    write: (author, name, { path, content }) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(path);
        const action = file.text === SKILL_FILE ? 'edit' : 'write_file';
        return writeSkillText(parts, author, { skill, file, content, action });
      }),
    patch: (author, name, patch) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(patch.path);
        const before = await readOwn(skill, file);
        if (before.kind !== 'text') throw notFound(`Text '${file.text}'`);
        const { content, ...counts } = patchedText(before.text, patch);
        return {
          ...(await writeSkillText(parts, author, { skill, file, content, action: 'patch' })),
          ...counts,
        };
      }),
    removeFile: (author, name, path) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(path);
        if (file.text === SKILL_FILE)
          throw invalid(`A skill without ${SKILL_FILE} is none; delete the skill instead.`);
        await removeSkillFile(parts, author, { skill, file, action: 'remove_file' });
      }),
    remove: (author, name) => serially(author, () => removeSkill(parts, author, name)),
    async history(userId, name) {
      if (!isSkillName(name)) throw noSuchSkill(name);
      const changes = await history.list(userId, name);
      if (changes.length === 0) await catalog.get(userId, name);
      return changes;
    },
    rollback: (author, name, index) => serially(author, () => rollBackSkill(parts, author, { name, index })),
  };
}

async function removeSkill(parts: SkillEditing, author: SkillAuthor, name: string): Promise<void> {
  const place = await ownPlace(parts, author, name);
  const file = parseSkillFile(SKILL_FILE);
  const previous = keptText(await readOwn({ place }, file));
  await note(parts, author, { name, file, action: 'delete', previous, next: null, findings: [] });
  await parts.deleted.take(author.userId, name);
  // Another skill of this name is another skill.
  await parts.catalog.switchesOf(author.userId).set(skillPath({ category: 'custom', name }), true);
  await tellAudit(parts, author, { change: 'delete', name, findings: [] });
}
