// Everything about one skill: its instructions, its files, and the contents of one file.
import { createHash } from 'node:crypto';
import { lstat, opendir } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { notFound } from '../errors.ts';
import { type Folder, insideDataHome, insideFolder, openChildFile, useFile } from '../workspace/folder.ts';
import { isFileSystemError } from '../workspace/workspace-failure.ts';
import { fileVersion } from './file-stamp.ts';
import { type Provenance, readProvenance } from './package/provenance.ts';
import { readText } from './read-text.ts';
import type { Finding } from './scan/finding.ts';
import { type ScannedFile, scanSkill } from './scan/scan-skill.ts';
import { noSuchSkill, type Skill, type SkillCatalog } from './skill-catalog.ts';
import { MAX_TEXT_BYTES, parseSkillText, SKILL_FILE, tooLarge } from './skill-text.ts';

export interface SkillDetail {
  readonly skill: Skill;
  readonly body: string;
  /** Sorted by path. */
  readonly files: readonly ScannedFile[];
  /** `undefined` for a skill that was not installed from a package. */
  readonly provenance: Provenance | undefined;
  /** Worst first. */
  readonly findings: readonly Finding[];
}

/** Throws `not_found`. */
export type SkillDetailOf = (userId: string, name: string) => Promise<SkillDetail>;

const MAX_FILES = 2_000;
const MAX_LEVELS = 16;

/** Skills whose findings are cached. */
const REMEMBERED = 500;

export function createSkillDetails({ catalog }: { readonly catalog: SkillCatalog }): SkillDetailOf {
  const known = new LRUCache<string, readonly Finding[]>({ max: REMEMBERED });
  /** Scans in progress. Concurrent requests for the same files share one. */
  const underWay = new Map<string, Promise<readonly Finding[]>>();
  const findingsOf = async (folder: Folder, files: readonly StampedFile[]): Promise<readonly Finding[]> => {
    const key = createHash('sha256').update(JSON.stringify(files)).digest('base64');
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const scan = underWay.get(key) ?? scanSkill(folder, files).finally(() => underWay.delete(key));
    underWay.set(key, scan);
    const findings = await scan;
    known.set(key, findings);
    return findings;
  };
  return async (userId, name) => {
    const skill = await catalog.get(userId, name);
    try {
      const { root, names } = skill.place;
      return await insideDataHome(root, { names, create: false }, async (folder) => {
        const text = await readText({ folder, name: SKILL_FILE, maxBytes: MAX_TEXT_BYTES });
        const { body } = parseSkillText(text);
        const files = (await filesIn(folder, [])).toSorted(byPath);
        const provenance = await readProvenance(folder);
        return { skill, body, files, provenance, findings: await findingsOf(folder, files) };
      });
    } catch (error) {
      // It was deleted in between.
      if (isFileSystemError(error)) throw noSuchSkill(name);
      throw error;
    }
  };
}

/** The stamp changes whenever any process writes to the file. */
interface StampedFile extends ScannedFile {
  readonly stamp: string;
}

/**
 * Returns the regular files, up to the number that a skill may have. Skips names that begin with a dot, and
 * follows no links.
 */
export async function filesIn(folder: Folder, above: readonly string[]): Promise<StampedFile[]> {
  const files: StampedFile[] = [];
  for await (const entry of await opendir(folder.self)) {
    if (entry.name.startsWith('.') || files.length >= MAX_FILES) continue;
    const names = [...above, entry.name];
    if (entry.isFile()) {
      const { size, ino, mtimeMs, ctimeMs } = await lstat(folder.at(entry.name));
      files.push({ path: names.join('/'), size, stamp: `${ino}:${mtimeMs}:${ctimeMs}` });
    }
    if (entry.isDirectory() && names.length < MAX_LEVELS) {
      const at = { names: [entry.name], create: false };
      files.push(...(await insideFolder(folder, at, (inside) => filesIn(inside, names))));
    }
  }
  return files;
}

function byPath(a: ScannedFile, b: ScannedFile): number {
  return a.path < b.path ? -1 : 1;
}

interface SkillFileContent {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Differs after every change. */
  readonly version: string;
}

/** Throws `not_found` unless it is a regular file of the skill, `payload_too_large` for over 16 MiB. */
export type ReadSkillFile = (userId: string, name: string, path: string) => Promise<SkillFileContent>;

const MAX_BYTES = 16 * 1_048_576;
const MAX_PATH_CHARACTERS = 4_096;

export function createReadSkillFile({ catalog }: { readonly catalog: SkillCatalog }): ReadSkillFile {
  return async (userId, name, path) => {
    const { place } = await catalog.get(userId, name);
    const names = path.split('/');
    // Names that begin with a dot are not part of a skill, which also excludes `..`.
    const isPath = names.every((one) => one !== '' && !one.startsWith('.') && !one.includes('\0'));
    if (!isPath || path.length > MAX_PATH_CHARACTERS) throw notFound('File');
    const file = names.at(-1) ?? '';
    const at = { names: [...place.names, ...names.slice(0, -1)], create: false };
    try {
      const content = await insideDataHome(place.root, at, (folder) =>
        useFile(openChildFile(folder, file), async ({ handle, stats }) => {
          if (!stats.isFile()) throw notFound('File');
          if (stats.size > MAX_BYTES) throw tooLarge('The file is too large to be shown.');
          return { bytes: new Uint8Array(await handle.readFile()), version: fileVersion(stats) };
        }),
      );
      return { name: file, ...content };
    } catch (error) {
      if (isFileSystemError(error)) throw notFound('File');
      throw error;
    }
  };
}
