// Changes custom skills: every text is checked and scanned, and what it replaces is kept in the history.
import { unlink } from 'node:fs/promises';
import { createBreath } from '../../breath.ts';
import { conflict, invalid, notFound, ServiceError } from '../../errors.ts';
import type { AuditLog } from '../../storage/audit-log.ts';
import { insideDataHome } from '../../workspace/folder.ts';
import { DRAFTS } from '../../workspace/paths.ts';
import { replacePlainFile } from '../../workspace/plain-file.ts';
import type { DiskUseOfUser } from '../../workspace/quota/disk-use.ts';
import type { SerialQueue } from '../../workspace/serial-queue.ts';
import { isAbsence, isFileSystemError } from '../../workspace/workspace-failure.ts';
import { placeSkill } from '../place-skill.ts';
import { readText } from '../read-text.ts';
import { type Finding, isBlocking } from '../scan/finding.ts';
import { scanText } from '../scan/scan-text.ts';
import { noSuchSkill, type Skill, type SkillCatalog } from '../skill-catalog.ts';
import { skillPlaces } from '../skill-places.ts';
import { isSkillName, MAX_TEXT_BYTES, parseSkillText, SKILL_FILE } from '../skill-text.ts';
import { withStaging } from '../staging.ts';
import type { DeletedSkills } from './deleted-skills.ts';
import { parseSkillFile, type SkillFilePath } from './skill-file-path.ts';
import type { SkillAction, SkillChange, SkillHistory } from './skill-history.ts';

/** Who changes a skill of theirs, or whose agent does. */
export interface SkillAuthor {
  readonly userId: string;
  readonly author: 'agent' | 'human';
  /** Of the agent. */
  readonly threadId: string | null;
  readonly clientIp: string | null;
  /** An administrator has looked at what the scan finds critical. */
  readonly isConfirmed: boolean;
}

export type EditOutcome =
  | { readonly kind: 'done'; readonly name: string; readonly findings: readonly Finding[] }
  /** Something critical was found; nothing was written. */
  | { readonly kind: 'blocked'; readonly findings: readonly Finding[] };

type PatchOutcome = EditOutcome & { readonly replaced: number; readonly found: number };

interface SkillPatch {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
  /** All so many are replaced; absent: the first one. */
  readonly expectedCount: number | undefined;
}

/**
 * All throw `not_found` for a skill that is not there, `forbidden` for a public one, `invalid` for a text or a path that
 * is not right, `payload_too_large` and `insufficient_storage`. A change that fails leaves the skill as it was.
 */
export interface SkillEditor {
  /** The text says the name. Throws `conflict` when there is a skill of this name. */
  create(author: SkillAuthor, content: string): Promise<EditOutcome>;
  /** `path`: SKILL.md, or a file below one of the folders that a skill may have. */
  write(
    author: SkillAuthor,
    name: string,
    file: { readonly path: string; readonly content: string },
  ): Promise<EditOutcome>;
  /** Throws `invalid` when the text is not there, or not so many times. */
  patch(author: SkillAuthor, name: string, patch: SkillPatch): Promise<PatchOutcome>;
  removeFile(author: SkillAuthor, name: string, path: string): Promise<void>;
  remove(author: SkillAuthor, name: string): Promise<void>;
  /** Oldest first. */
  history(userId: string, name: string): Promise<readonly SkillChange[]>;
  /** Puts back what the change replaced; below 0: counted from the last one. Throws `conflict` when it cannot. */
  rollback(author: SkillAuthor, name: string, index: number): Promise<EditOutcome>;
}

interface SkillEditorParts {
  readonly dataHome: string;
  readonly catalog: SkillCatalog;
  readonly history: SkillHistory;
  readonly deleted: DeletedSkills;
  readonly queue: SerialQueue;
  readonly diskUseOfUser: DiskUseOfUser;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly maxSkills: number;
  readonly now: () => number;
  readonly newId: () => string;
}

export function createSkillEditor(parts: SkillEditorParts): SkillEditor {
  const { catalog, history, queue } = parts;
  const serially = <Result>({ userId }: SkillAuthor, work: () => Promise<Result>) => queue.run(userId, work);
  return {
    create: (author, content) => serially(author, () => createSkill(parts, author, content)),
    write: (author, name, { path, content }) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(path);
        const action = file.text === SKILL_FILE ? 'edit' : 'write_file';
        return writeText(parts, author, { skill, file, content, action });
      }),
    patch: (author, name, patch) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(patch.path);
        const before = await readOwn(skill, file);
        if (before === undefined) throw notFound(`File '${file.text}'`);
        const { content, ...counts } = patched(before, patch);
        return { ...(await writeText(parts, author, { skill, file, content, action: 'patch' })), ...counts };
      }),
    removeFile: (author, name, path) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(path);
        if (file.text === SKILL_FILE)
          throw invalid(`A skill without ${SKILL_FILE} is none; delete the skill instead.`);
        await removeOne(parts, author, { skill, file, action: 'remove_file' });
      }),
    remove: (author, name) =>
      serially(author, async () => {
        const skill = await ownSkill(catalog, author, name);
        const file = parseSkillFile(SKILL_FILE);
        const previous = (await readOwn(skill, file)) ?? null;
        await note(parts, author, { name, file, action: 'delete', previous, next: null, findings: [] });
        await parts.deleted.take(author.userId, name);
        await tellAudit(parts, author, { change: 'delete', name });
      }),
    async history(userId, name) {
      if (!isSkillName(name)) throw noSuchSkill(name);
      const changes = await history.list(userId, name);
      if (changes.length === 0) await catalog.get(userId, name);
      return changes;
    },
    rollback: (author, name, index) => serially(author, () => rollBack(parts, author, { name, index })),
  };
}

async function createSkill(
  parts: SkillEditorParts,
  author: SkillAuthor,
  content: string,
): Promise<EditOutcome> {
  const { dataHome, diskUseOfUser, maxSkills, newId } = parts;
  const { head } = parseSkillText(content);
  const file = parseSkillFile(SKILL_FILE);
  const findings = await findingsIn(file, content);
  if (isBlocking(findings) && !author.isConfirmed) return { kind: 'blocked', findings };
  const diskUse = diskUseOfUser(author.userId);
  await withStaging(parts, async ({ folder, path }) => {
    await insideDataHome(dataHome, { names: [DRAFTS], create: true }, (drafts) =>
      replacePlainFile({ folder, name: SKILL_FILE, shownAs: SKILL_FILE }, content, {
        drafts,
        name: newId(),
        diskUse,
      }),
    );
    const names = skillPlaces(author.userId).custom;
    await placeSkill({ dataHome, names, name: head.name, from: path, maxSkills });
  });
  await note(parts, author, {
    name: head.name,
    file,
    action: 'create',
    previous: null,
    next: content,
    findings,
  });
  await tellAudit(parts, author, { change: 'create', name: head.name });
  return { kind: 'done', name: head.name, findings };
}

interface TextChange {
  readonly skill: Skill;
  readonly file: SkillFilePath;
  readonly content: string;
  readonly action: SkillAction;
}

async function writeText(
  parts: SkillEditorParts,
  author: SkillAuthor,
  { skill, file, content, action }: TextChange,
): Promise<EditOutcome> {
  const { diskUseOfUser, newId, dataHome } = parts;
  const { name, place } = skill;
  checkText(skill, file, content);
  const findings = await findingsIn(file, content);
  if (isBlocking(findings) && !author.isConfirmed) return { kind: 'blocked', findings };
  const previous = (await readOwn(skill, file)) ?? null;
  const diskUse = diskUseOfUser(author.userId);
  await diskUse.admit({ bytes: 2 * Buffer.byteLength(content), entries: file.names.length });
  // First: no change without its line.
  await note(parts, author, { name, file, action, previous, next: content, findings });
  const folders = [...place.names, ...file.names.slice(0, -1)];
  await insideDataHome(dataHome, { names: [DRAFTS], create: true }, (drafts) =>
    insideDataHome(place.root, { names: folders, create: true }, (folder) =>
      replacePlainFile({ folder, name: file.names.at(-1) ?? '', shownAs: file.text }, content, {
        drafts,
        name: newId(),
        diskUse,
      }),
    ),
  );
  return { kind: 'done', name, findings };
}

function checkText({ name }: Skill, file: SkillFilePath, content: string): void {
  if (Buffer.byteLength(content) > MAX_TEXT_BYTES)
    throw new ServiceError(
      'payload_too_large',
      `${file.text} would be larger than ${MAX_TEXT_BYTES / 1_024} KiB.`,
    );
  if (content.includes('\0') || !content.isWellFormed()) throw invalid(`${file.text} would not be a text.`);
  if (file.text !== SKILL_FILE) return;
  const { head } = parseSkillText(content);
  if (head.name !== name)
    throw invalid(`The name must stay '${name}'; to rename a skill, make a new one and delete this one.`);
}

interface FileRemoval {
  readonly skill: Skill;
  readonly file: SkillFilePath;
  readonly action: SkillAction;
}

async function removeOne(
  parts: SkillEditorParts,
  author: SkillAuthor,
  { skill: { name, place }, file, action }: FileRemoval,
): Promise<void> {
  const at = { names: [...place.names, ...file.names.slice(0, -1)], create: false };
  try {
    const previous = (await readOwn({ place }, file)) ?? null;
    await insideDataHome(place.root, at, async (folder) => {
      await unlink(folder.at(file.names.at(-1) ?? ''));
    });
    await note(parts, author, { name, file, action, previous, next: null, findings: [] });
  } catch (error) {
    if (isFileSystemError(error)) throw notFound(`File '${file.text}'`);
    throw error;
  }
}

async function rollBack(
  parts: SkillEditorParts,
  author: SkillAuthor,
  { name, index }: { readonly name: string; readonly index: number },
): Promise<EditOutcome> {
  const { catalog, history, deleted } = parts;
  if (!isSkillName(name)) throw noSuchSkill(name);
  const changes = await history.list(author.userId, name);
  if (changes.length === 0) await ownSkill(catalog, author, name);
  const change = index < 0 ? changes.at(index) : changes.find((one) => one.index === index);
  if (change === undefined) throw invalid('The history has no such change.');
  const file = parseSkillFile(change.filePath);
  if (change.action === 'delete') {
    await deleted.giveBack(author.userId, name);
    const next = change.previous;
    await note(parts, author, { name, file, action: 'rollback', previous: null, next, findings: [] });
    return { kind: 'done', name, findings: [] };
  }
  const skill = await ownSkill(catalog, author, name);
  if (change.previous !== null)
    return writeText(parts, author, { skill, file, content: change.previous, action: 'rollback' });
  if (change.action === 'create' || file.text === SKILL_FILE)
    throw conflict('Before this change there was no skill; delete the skill instead.');
  if (change.next === null) throw conflict('What this change removed was no text and is not kept.');
  await removeOne(parts, author, { skill, file, action: 'rollback' });
  return { kind: 'done', name, findings: [] };
}

/** Throws `not_found`, and `forbidden` for a public one. */
async function ownSkill(catalog: SkillCatalog, { userId }: SkillAuthor, name: string): Promise<Skill> {
  const skill = await catalog.get(userId, name);
  if (skill.category === 'custom') return skill;
  throw new ServiceError(
    'forbidden',
    `'${name}' is a public skill and cannot be changed; make a custom one of the same name, which takes its place for you.`,
  );
}

/** `undefined` when it is not there, or no text. */
async function readOwn({ place }: Pick<Skill, 'place'>, file: SkillFilePath): Promise<string | undefined> {
  const at = { names: [...place.names, ...file.names.slice(0, -1)], create: false };
  try {
    return await insideDataHome(place.root, at, (folder) =>
      readText({ folder, name: file.names.at(-1) ?? '', maxBytes: MAX_TEXT_BYTES }),
    );
  } catch (error) {
    if (isAbsence(error) || error instanceof ServiceError) return undefined;
    throw error;
  }
}

function findingsIn(file: SkillFilePath, content: string): Promise<readonly Finding[]> {
  return scanText(file.text, content, createBreath());
}

function patched(before: string, { path, find, replace, expectedCount }: SkillPatch) {
  const found = find === '' ? 0 : before.split(find).length - 1;
  if (found === 0) throw invalid(`The text to find is not in ${path}; read the file and copy it exactly.`);
  if (expectedCount === undefined) {
    const at = before.indexOf(find);
    return { content: before.slice(0, at) + replace + before.slice(at + find.length), replaced: 1, found };
  }
  if (found !== expectedCount)
    throw invalid(
      `The text to find is ${found} times in ${path}, not ${expectedCount}; nothing was changed.`,
    );
  return { content: before.replaceAll(find, () => replace), replaced: found, found };
}

interface Noted extends Pick<SkillChange, 'action' | 'previous' | 'next'> {
  readonly name: string;
  readonly file: SkillFilePath;
  readonly findings: readonly Finding[];
}

function note({ history, now }: SkillEditorParts, author: SkillAuthor, noted: Noted): Promise<void> {
  const { name, file, action, previous, next, findings } = noted;
  return history.append(author.userId, name, {
    action,
    author: author.author,
    at: now(),
    threadId: author.threadId,
    filePath: file.text,
    previous,
    next,
    findings: [...findings],
  });
}

async function tellAudit(
  { audit }: SkillEditorParts,
  { userId, clientIp, author }: SkillAuthor,
  { change, name }: { readonly change: string; readonly name: string },
): Promise<void> {
  const details = { change, skill: `custom/${name}`, by: author };
  await audit.append({ act: 'skills_change', actor: userId, clientIp, subject: null, details });
}
