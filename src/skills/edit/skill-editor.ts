// Changes custom skills. Every text is checked and scanned, and the history keeps the text that it replaces.
import { conflict, invalid, notFound, ServiceError } from '../../errors.ts';
import type { ExpectedVersion } from '../file-stamp.ts';
import { noSuchSkill } from '../skill-catalog.ts';
import { skillPath } from '../skill-places.ts';
import { isSkillName, MAX_TEXT_BYTES, SKILL_FILE, tooLarge } from '../skill-text.ts';
import { removeSkillFile, writeSkillText } from './change-skill-file.ts';
import { createCustomSkill, type NewSkill } from './create-custom-skill.ts';
import type { DeletedSkill } from './deleted-skills.ts';
import { keptText, ownPlace, ownSkill, ownVersion, readOwn } from './own-skill.ts';
import { changeToRollBack, restoreSkill, rollBackSkill } from './roll-back-skill.ts';
import { type EditOutcome, note, recordAudit, type SkillAuthor, type SkillEditing } from './skill-editing.ts';
import { parseSkillFile, type SkillFilePath } from './skill-file-path.ts';
import type { SkillChange } from './skill-history.ts';

interface KnownFile {
  readonly path: string;
  /** Absent: any version. */
  readonly expected?: ExpectedVersion | undefined;
}

interface NewText extends KnownFile {
  readonly content: string;
}

type PatchOutcome = EditOutcome & { readonly replaced: number; readonly found: number };

/**
 * All changes throw `not_found` for a skill that does not exist, `forbidden` for a public one, `invalid` for
 * an invalid text or path, `payload_too_large`, `insufficient_storage`, and `conflict` while another process
 * changes the skill. A change that fails leaves the skill as it was.
 */
export interface SkillEditor {
  /** Throws `conflict` when a skill of this name exists. */
  create(author: SkillAuthor, skill: NewSkill): Promise<EditOutcome>;
  /**
   * `path` is SKILL.md, or a file below one of the folders that a skill may have. Throws `conflict` when the
   * existing file is not text or changes during the call, and `precondition_failed` when it is not the
   * expected version.
   */
  write(author: SkillAuthor, name: string, file: NewText): Promise<EditOutcome>;
  /**
   * Throws `invalid` when the text to find is missing, or occurs a different number of times than expected.
   */
  patch(author: SkillAuthor, name: string, patch: SkillPatch): Promise<PatchOutcome>;
  /** Throws `precondition_failed` when the file is not the expected version. */
  removeFile(author: SkillAuthor, name: string, file: KnownFile): Promise<void>;
  /** Also removes a skill that is not listed because its SKILL.md is invalid. */
  remove(author: SkillAuthor, name: string): Promise<void>;
  /** Oldest first. */
  history(userId: string, name: string): Promise<readonly SkillChange[]>;
  /**
   * Restores what the change replaced. A negative `index` counts from the last change. Throws `conflict` when
   * that is impossible.
   */
  rollback(author: SkillAuthor, name: string, index: number): Promise<EditOutcome>;
  /** Latest deletion first. */
  deleted(userId: string): Promise<readonly DeletedSkill[]>;
  /** Throws `not_found`, and `conflict` when a skill of this name exists. */
  restore(author: SkillAuthor, name: string): Promise<void>;
  /** Removes a deleted skill permanently. Throws `not_found`. */
  purge(author: SkillAuthor, name: string): Promise<void>;
}

export function createSkillEditor(parts: SkillEditing): SkillEditor {
  return { ...createChanges(parts), ...createDeletions(parts) };
}

type Deletions = Pick<SkillEditor, 'remove' | 'deleted' | 'restore' | 'purge'>;

function createChanges(parts: SkillEditing): Omit<SkillEditor, keyof Deletions> {
  const { catalog, history, queue } = parts;
  const changing = createChanging(parts);
  return {
    create: (author, skill) => queue.run(author.userId, () => createCustomSkill(parts, author, skill)),
    async write(author, name, { path, content, expected }) {
      const found = await ownSkill(catalog, author, name);
      const file = parseSkillFile(path);
      const seen = await ownVersion(found, file);
      return changing(author, name, async () => {
        const skill = await ownSkill(catalog, author, name);
        const version = await ownVersion(skill, file);
        requireExpected(file, version, expected);
        if (version !== seen) throw conflict(`${file.text} was changed meanwhile. ${READ_AGAIN}`);
        const action = file.text === SKILL_FILE ? 'edit' : 'write_file';
        return writeSkillText(parts, author, { skill, file, content, action });
      });
    },
    async patch(author, name, patch) {
      await ownSkill(catalog, author, name);
      return changing(author, name, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(patch.path);
        const before = await readOwn(skill, file);
        if (before.kind !== 'text') throw notFound(`Text '${file.text}'`);
        const { content, ...counts } = patchedText(before.text, patch);
        return {
          ...(await writeSkillText(parts, author, { skill, file, content, action: 'patch' })),
          ...counts,
        };
      });
    },
    async removeFile(author, name, { path, expected }) {
      await ownSkill(catalog, author, name);
      const file = parseSkillFile(path);
      if (file.text === SKILL_FILE)
        throw invalid(`A skill without ${SKILL_FILE} is none; delete the skill instead.`);
      await changing(author, name, async () => {
        const skill = await ownSkill(catalog, author, name);
        requireExpected(file, await ownVersion(skill, file), expected);
        await removeSkillFile(parts, author, { skill, file, action: 'remove_file' });
      });
    },
    async history(userId, name) {
      if (!isSkillName(name)) throw noSuchSkill(name);
      const changes = await history.list(userId, name);
      if (changes.length === 0) await catalog.get(userId, name);
      return changes;
    },
    async rollback(author, name, index) {
      const change = await changeToRollBack(parts, author, { name, index });
      return changing(author, name, async () => {
        const now = await changeToRollBack(parts, author, { name, index });
        if (now.index !== change.index) throw conflict(`The skill was changed meanwhile. ${READ_AGAIN}`);
        return rollBackSkill(parts, author, { name, change: now });
      });
    },
  };
}

function createDeletions(parts: SkillEditing): Deletions {
  const { deleted } = parts;
  const changing = createChanging(parts);
  const requireDeleted = async ({ userId }: SkillAuthor, name: string): Promise<void> => {
    if (!(await deleted.list(userId)).some((one) => one.name === name))
      throw notFound(`Deleted skill '${name.slice(0, 100)}'`);
  };
  return {
    async remove(author, name) {
      await ownPlace(parts, author, name);
      await changing(author, name, () => removeSkill(parts, author, name));
    },
    deleted: (userId) => deleted.list(userId),
    async restore(author, name) {
      await requireDeleted(author, name);
      await changing(author, name, () => restoreSkill(parts, author, name));
    },
    async purge(author, name) {
      await requireDeleted(author, name);
      await changing(author, name, () => deleted.purge(author.userId, name));
      await recordAudit(parts, author, { change: 'purge', name, findings: [] });
    },
  };
}

/** Allows one change per person at a time in this process, and one per skill across all processes. */
function createChanging({ queue, claims }: SkillEditing) {
  return <Result>({ userId }: SkillAuthor, name: string, work: () => Promise<Result>): Promise<Result> =>
    queue.run(userId, () => claims.during(userId, name, work));
}

const READ_AGAIN = 'Read it again, and then repeat your change if it still fits.';

function requireExpected(
  file: SkillFilePath,
  version: string | undefined,
  expected: ExpectedVersion | undefined,
): void {
  const isExpected =
    expected === undefined || (version !== undefined && (expected === '*' || expected.includes(version)));
  if (isExpected) return;
  const what = version === undefined ? 'is not there' : 'is not the version that If-Match names';
  throw new ServiceError('precondition_failed', `${file.text} ${what}. ${READ_AGAIN}`);
}

async function removeSkill(parts: SkillEditing, author: SkillAuthor, name: string): Promise<void> {
  const place = await ownPlace(parts, author, name);
  const file = parseSkillFile(SKILL_FILE);
  const previous = keptText(await readOwn({ place }, file));
  await note(parts, author, { name, file, action: 'delete', previous, next: null, findings: [] });
  await parts.deleted.take(author.userId, name);
  // A later skill of this name must not inherit the switch.
  await parts.switches.set(author.userId, skillPath({ category: 'custom', name }), true);
  await recordAudit(parts, author, { change: 'delete', name, findings: [] });
}

interface SkillPatch {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
  /** Exactly this many occurrences are replaced. Absent: the first one. */
  readonly expectedCount: number | undefined;
}

/**
 * Throws `invalid` when the text is missing or occurs a different number of times, and `payload_too_large`
 * before it builds a text that is too long.
 */
function patchedText(before: string, { path, find, replace, expectedCount }: SkillPatch) {
  const found = find === '' ? 0 : before.split(find).length - 1;
  if (found === 0) throw invalid(`The text to find is not in ${path}; read the file and copy it exactly.`);
  if (expectedCount !== undefined && found !== expectedCount)
    throw invalid(
      `The text to find is ${found} times in ${path}, not ${expectedCount}; nothing was changed.`,
    );
  const replaced = expectedCount ?? 1;
  // A character takes at least one byte.
  if (before.length + replaced * (replace.length - find.length) > MAX_TEXT_BYTES)
    throw tooLarge(`${path} would be larger than ${MAX_TEXT_BYTES / 1_024} KiB; nothing was changed.`);
  const content =
    expectedCount === undefined
      ? before.replace(find, () => replace)
      : before.replaceAll(find, () => replace);
  return { content, replaced, found };
}
